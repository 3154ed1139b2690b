// A second copy of the rules and a second solver, on purpose: a source of exact values that shares nothing with ours.
//
// Written from the text of the rules alone. Nothing of `littlego` is used, no bound on what is still possible, no
// atlas: a search of every legal move with alpha-beta, a hash table that compares whole positions, and an order of
// the moves, which decides how long it takes but not what it finds.
//
// Each line of the standard input is a game and a question; the answer is one line of JSON:
//
//     SIZE KOMI LENGTH QUESTION MOVE...        such as: 5 2.5 24 moves 2,2 PASS 1,3
//
// QUESTION: `winner` of the position after the moves; `moves`: also who wins after every legal move; `margins`: also
// Black's stones minus White's at the end, if both play for that, of the position and after every legal move.
// An illegal move is an error. The argument is the size of the hash table in MiB.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

// Points are bits, six to a row: the sixth is never a point, so that no stone has a neighbour across the edge.
using Points = std::uint64_t;
constexpr int kRow = 6;
constexpr int kPass = 62, kNone = 63;  // in place of a point's number
constexpr int kMost = 25;              // no margin is larger

Points board;  // the points of this size

Points bit(int point) { return Points{1} << point; }
int first(Points set) { return __builtin_ctzll(set); }
int count(Points set) { return __builtin_popcountll(set); }
Points beside(Points set) { return (set << 1 | set >> 1 | set << kRow | set >> kRow) & board; }

Points group_at(Points stones, Points seed) {
  for (Points grown = seed;; seed = grown) {
    grown = (seed | beside(seed)) & stones;
    if (grown == seed) return seed;
  }
}

// A position as the side to move sees it. `ko`: the one point where a stone would recreate the board as it was before
// the opponent's last move, else kNone. `passed`: whether that move was a pass.
struct Position {
  Points mine = 0, theirs = 0;
  int ko = kNone;
  bool passed = false;
  int left = 0;
  int difference() const { return count(mine) - count(theirs); }
};

// What a stone of the side to move does: where it may go, and what it removes there.
struct Moves {
  Points legal = 0;
  Points captures[kRow * 5];
  // Only for the order: liberties of my groups that have just one, and of the opponent's that have two or three.
  Points in_atari = 0, two = 0, three = 0;
};

// A stone may be put on an empty point if it has a liberty afterwards: an empty neighbour, a neighbour that was
// captured, or a group of its own side with a liberty elsewhere. The ko point is forbidden.
Moves moves_of(const Position& position) {
  Moves moves;
  const Points empty = board & ~(position.mine | position.theirs);
  moves.legal = empty & beside(empty);
  for (Points rest = empty; rest; rest &= rest - 1) moves.captures[first(rest)] = 0;
  for (Points rest = position.theirs; rest;) {
    const Points group = group_at(position.theirs, rest & -rest);
    const Points liberties = beside(group) & empty;
    if (count(liberties) == 1) {
      moves.captures[first(liberties)] |= group;
      moves.legal |= liberties;
    }
    if (count(liberties) == 2) moves.two |= liberties;
    if (count(liberties) == 3) moves.three |= liberties;
    rest &= ~group;
  }
  for (Points rest = position.mine; rest;) {
    const Points group = group_at(position.mine, rest & -rest);
    const Points liberties = beside(group) & empty;
    if (count(liberties) > 1) moves.legal |= liberties;
    else moves.in_atari |= liberties;
    rest &= ~group;
  }
  if (position.ko != kNone) moves.legal &= ~bit(position.ko);
  return moves;
}

// The position after a stone on `point` that removes `captured`.
Position after_stone(const Position& position, int point, Points captured) {
  Position next;
  next.mine = position.theirs & ~captured;
  next.theirs = position.mine | bit(point);
  next.left = position.left - 1;
  // To recreate the board before this stone, the opponent must put back all that was captured, with one stone; so it
  // was one, the answer is there, and it must remove this stone and nothing else.
  if (count(captured) == 1) {
    Position answer = next;
    answer.ko = kNone;
    const Moves moves = moves_of(answer);
    if (moves.legal & captured && moves.captures[first(captured)] == bit(point)) next.ko = first(captured);
  }
  return next;
}

Position after_pass(const Position& position) {
  Position next;
  next.mine = position.theirs;
  next.theirs = position.mine;
  next.passed = true;
  next.left = position.left - 1;
  return next;
}

// The hash table: whole positions, with the least and the greatest margin that are proven. 16 bytes an entry:
//   0-35 mine | 36-41 ko | 42 passed | 43-47 plies left | 48-55 least + 25 | 56-63 greatest + 25
//   0-35 theirs | 36-41 the move that was found to be good, or kNone
struct Entry {
  std::uint64_t one, two;
};
constexpr int kSlots = 4;
constexpr int kUnstored = 2;   // positions with more plies left are kept
constexpr int kLookAhead = 5;  // with more plies left, all that a move leads to is looked up before any is searched
constexpr std::uint64_t kKeyOne = (std::uint64_t{1} << 48) - 1, kKeyTwo = (std::uint64_t{1} << 36) - 1;
Entry* table;
std::uint64_t buckets;  // a power of two
std::uint64_t nodes;
int history[2][kRow * 5];  // how often a stone there was good: only for the order

struct Known {
  int least = -kMost, greatest = kMost, move = kNone;
};

std::uint64_t key_of(const Position& p) {
  return p.mine | std::uint64_t(p.ko) << 36 | std::uint64_t(p.passed) << 42 | std::uint64_t(p.left) << 43;
}

Entry* bucket_of(const Position& p) {
  std::uint64_t mixed = key_of(p) * 0x9E3779B97F4A7C15u ^ (p.theirs + 0x632BE59BD9B4E019u) * 0xD1B54A32D192ED03u;
  mixed = (mixed ^ mixed >> 32) * 0xAEF17502108EF2D9u;
  return table + (mixed >> 20 & (buckets - 1)) * kSlots;
}

bool is_at(const Entry& entry, const Position& p) {
  return (entry.one & kKeyOne) == key_of(p) && (entry.two & kKeyTwo) == p.theirs;
}

Known known(const Position& position) {
  Known found;
  const Entry* bucket = bucket_of(position);
  for (int slot = 0; slot < kSlots; ++slot)
    if (is_at(bucket[slot], position)) {
      found.least = int(bucket[slot].one >> 48 & 255) - kMost;
      found.greatest = int(bucket[slot].one >> 56) - kMost;
      found.move = int(bucket[slot].two >> 36);
    }
  return found;
}

void remember(const Position& position, const Known& what) {
  Entry* bucket = bucket_of(position);
  Entry* chosen = bucket;
  for (int slot = 0; slot < kSlots; ++slot) {
    if (is_at(bucket[slot], position)) {
      chosen = bucket + slot;
      break;
    }
    // Else the one with the fewest plies left makes room; an empty one has none left.
    if ((bucket[slot].one >> 43 & 31) < (chosen->one >> 43 & 31)) chosen = bucket + slot;
  }
  chosen->one = key_of(position) | std::uint64_t(what.least + kMost) << 48 | std::uint64_t(what.greatest + kMost) << 56;
  chosen->two = position.theirs | std::uint64_t(what.move) << 36;
}

// How promising a stone looks. This decides how long a search takes, and nothing else.
int promise(const Position& position, const Moves& moves, int point) {
  const Points neighbours = beside(bit(point)), taken = position.mine | position.theirs;
  const int captured = count(moves.captures[point]);
  int score = history[position.left & 1][point] + (captured << 24);
  if (moves.in_atari & bit(point)) score += 1 << 23;
  if (moves.two & bit(point)) score += 1 << 21;
  if (moves.three & bit(point)) score += 1 << 19;
  if (!captured && !(neighbours & ~taken)) score -= 1 << 22;
  if (!captured && count(neighbours & ~taken) == 1 && !(neighbours & position.mine)) score -= 1 << 22;
  return score;
}

void praise(int left, int point) {
  history[left & 1][point] += left * left;
  if (history[left & 1][point] > 1 << 21)
    for (auto& side : history)
      for (int& each : side) each >>= 1;
}

// Whether the side to move can end with at least `target` stones more than the opponent.
bool reaches(const Position& position, int target) {
  ++nodes;
  const int difference = position.difference();
  if (position.left == 0) return difference >= target;
  if (position.passed && difference >= target) return true;  // a second pass ends the game
  Known what;
  if (position.left > kUnstored) {
    what = known(position);
    if (what.least >= target) return true;
    if (what.greatest < target) return false;
  }
  const Moves moves = moves_of(position);
  struct {
    int score, point;
  } list[kRow * 5];
  const auto next = [&](int i) { return after_stone(position, list[i].point, moves.captures[list[i].point]); };
  int number = 0;
  bool won = false;
  for (Points rest = moves.legal; rest; rest &= rest - 1) {
    const int point = first(rest);
    if (position.left == 1) {  // the last stone
      if (difference + 1 + count(moves.captures[point]) >= target) return true;
      continue;
    }
    const int score = point == what.move ? 1 << 30 : promise(position, moves, point);
    int place = number++;
    for (; place && list[place - 1].score < score; --place) list[place] = list[place - 1];
    list[place] = {score, point};
  }
  if (position.left == 1) return difference >= target;  // a pass
  for (int i = 0; position.left > kLookAhead && i < number && !won; ++i)
    if (known(next(i)).greatest < 1 - target) {
      won = true;
      what.move = list[i].point;
    }
  for (int i = 0; i < number && !won; ++i)
    if (!reaches(next(i), 1 - target)) {
      won = true;
      what.move = list[i].point;
      praise(position.left, list[i].point);
    }
  // A pass after a pass ends the game, which was not enough above.
  if (!won && !position.passed && !reaches(after_pass(position), 1 - target)) {
    won = true;
    what.move = kNone;
  }
  if (position.left > kUnstored) {
    (won ? what.least : what.greatest) = won ? target : target - 1;
    remember(position, what);
  }
  return won;
}

// Black's margin with best play, or of a game that is over.
int margin_of(const Position& position, bool over, bool black) {
  int margin = position.difference();
  if (!over) {
    while (reaches(position, margin + 1)) ++margin;
    while (!reaches(position, margin)) --margin;
  }
  return black ? margin : -margin;
}

// The winner, as JSON: a tie is null.
const char* winner_of(const Position& position, bool over, bool black, double komi) {
  const double needed = black ? komi : -komi;  // what my stones minus the opponent's must exceed
  const int difference = position.difference(), least = int(std::floor(needed)) + 1;
  const char *mine = black ? "\"Black\"" : "\"White\"", *theirs = black ? "\"White\"" : "\"Black\"";
  if (over ? difference >= least : reaches(position, least)) return mine;
  if (needed == std::floor(needed) && (over ? difference >= least - 1 : reaches(position, least - 1))) return "null";
  return theirs;
}

std::string name_of(int point) {
  if (point == kPass) return "PASS";
  return std::to_string(point / kRow) + "," + std::to_string(point % kRow);
}

bool fail(const std::string& line, const std::string& why) {
  std::cerr << "outside_solver: " << line << ": " << why << "\n";
  return false;
}

bool answer(const std::string& line) {
  std::istringstream words(line);
  int size, length;
  double komi;
  std::string question, word;
  if (!(words >> size >> komi >> length >> question) || size < 2 || size > 5 || length < 1 || length > 31)
    return fail(line, "expected SIZE KOMI LENGTH QUESTION MOVE...");
  Points points = 0;
  for (int row = 0; row < size; ++row) points |= ((Points{1} << size) - 1) << kRow * row;
  if (points != board) {  // the table knows positions of one size
    board = points;
    for (std::uint64_t i = 0; i < buckets * kSlots; ++i) table[i] = Entry{0, 0};
  }
  Position position;
  position.left = length;
  bool over = false, black = true;
  for (; words >> word; black = !black) {
    int row, column;
    if (over) return fail(line, "the game is over before " + word);
    if (word == "PASS") {
      over = position.passed;
      position = after_pass(position);
    } else if (std::sscanf(word.c_str(), "%d,%d", &row, &column) == 2) {
      const Moves moves = moves_of(position);
      const int point = kRow * row + column;
      if (row < 0 || column < 0 || row >= size || column >= size || !(moves.legal & bit(point)))
        return fail(line, word + " is illegal");
      position = after_stone(position, point, moves.captures[point]);
    } else {
      return fail(line, word + " is no move");
    }
    over = over || position.left == 0;
  }
  const bool margins = question == "margins", each = margins || question == "moves";
  nodes = 0;
  std::cout << "{\"winner\": " << winner_of(position, over, black, komi);
  if (margins) std::cout << ", \"margin\": " << margin_of(position, over, black);
  if (each && !over) {
    const Moves moves = moves_of(position);
    std::vector<int> all{kPass};
    for (Points rest = moves.legal; rest; rest &= rest - 1) all.push_back(first(rest));
    std::cout << ", \"moves\": {";
    for (int move : all) {
      const Position next =
          move == kPass ? after_pass(position) : after_stone(position, move, moves.captures[move]);
      const bool ends = next.left == 0 || (move == kPass && position.passed);
      std::cout << (move == kPass ? "\"" : ", \"") << name_of(move) << "\": ";
      if (margins) std::cout << "[" << winner_of(next, ends, !black, komi) << ", " << margin_of(next, ends, !black) << "]";
      else std::cout << winner_of(next, ends, !black, komi);
    }
    std::cout << "}";
  }
  std::cout << ", \"nodes\": " << nodes << "}" << std::endl;
  return true;
}

}  // namespace

int main(int count_of_arguments, char** arguments) {
  const std::uint64_t mebibytes = count_of_arguments > 1 ? std::strtoull(arguments[1], nullptr, 10) : 64;
  for (buckets = 1; buckets * 2 * kSlots * sizeof(Entry) <= mebibytes << 20;) buckets *= 2;
  table = static_cast<Entry*>(std::calloc(buckets * kSlots, sizeof(Entry)));
  if (!table) return 1;
  for (std::string line; std::getline(std::cin, line);)
    if (!answer(line)) return 1;
  return 0;
}
