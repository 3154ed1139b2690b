// My Little-Go agent: the largest capture, else a point near the centre.
//
// Started once a move: reads input.txt, writes output.txt, exits. This one already plays legally.
// Make it stronger in choose(); the rest you can leave as it is.
//
// Built by g++ -O2 my_player.cpp, so keep to C++98, or name the file my_player11.cpp for C++11.
// Open files by their name alone, "book.txt": absolute paths do not exist on the course's machine.

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

const int SIZE = 5;
const char EMPTY = '0', BLACK = '1', WHITE = '2';

typedef std::pair<int, int> Point;          // row, column
typedef std::vector<std::string> Board;     // a string of digits for each row

struct Move {
    Point point;
    Board after;
    int captured;
};

// My colour, the board after my last move, and the board now.
bool read_input(char &colour, Board &previous, Board &board) {
    std::ifstream file("input.txt");
    std::string line;
    if (!(file >> line)) return false;
    colour = line[0];
    while (file >> line) (static_cast<int>(previous.size()) < SIZE ? previous : board).push_back(line);
    return static_cast<int>(board.size()) == SIZE;
}

char opponent(char colour) { return colour == BLACK ? WHITE : BLACK; }

// The points next to a point: up, down, left and right.
std::vector<Point> neighbours(const Point &point) {
    const int rows[] = {-1, 1, 0, 0}, columns[] = {0, 0, -1, 1};
    std::vector<Point> found;
    for (int k = 0; k < 4; ++k) {
        const int row = point.first + rows[k], column = point.second + columns[k];
        if (0 <= row && row < SIZE && 0 <= column && column < SIZE) found.push_back(Point(row, column));
    }
    return found;
}

// The stones connected to the one here, and the empty points next to them.
void group_and_liberties(const Board &board, const Point &start, std::set<Point> &group, std::set<Point> &liberties) {
    const char colour = board[start.first][start.second];
    std::vector<Point> to_visit(1, start);
    group.insert(start);
    while (!to_visit.empty()) {
        const std::vector<Point> around = neighbours(to_visit.back());
        to_visit.pop_back();
        for (std::size_t k = 0; k < around.size(); ++k) {
            const char stone = board[around[k].first][around[k].second];
            if (stone == EMPTY) liberties.insert(around[k]);
            else if (stone == colour && group.insert(around[k]).second) to_visit.push_back(around[k]);
        }
    }
}

int count_liberties(const Board &board, const Point &point) {
    std::set<Point> group, liberties;
    group_and_liberties(board, point, group, liberties);
    return static_cast<int>(liberties.size());
}

// The board after a stone on an empty point, and how many stones it captured.
Move play(const Board &board, const Point &point, char colour) {
    Move move = {point, board, 0};
    move.after[point.first][point.second] = colour;
    const std::vector<Point> around = neighbours(point);
    for (std::size_t k = 0; k < around.size(); ++k) {
        if (move.after[around[k].first][around[k].second] != opponent(colour)) continue;
        std::set<Point> group, liberties;
        group_and_liberties(move.after, around[k], group, liberties);
        if (!liberties.empty()) continue;
        move.captured += static_cast<int>(group.size());
        for (std::set<Point>::const_iterator stone = group.begin(); stone != group.end(); ++stone)
            move.after[stone->first][stone->second] = EMPTY;
    }
    return move;
}

// Every legal move. Passing is always legal too.
std::vector<Move> legal_moves(char colour, const Board &previous, const Board &board) {
    std::vector<Move> moves;
    for (int row = 0; row < SIZE; ++row) {
        for (int column = 0; column < SIZE; ++column) {
            if (board[row][column] != EMPTY) continue;  // occupied
            const Move move = play(board, Point(row, column), colour);
            if (count_liberties(move.after, move.point) == 0) continue;  // suicide
            if (move.after == previous) continue;  // ko: the board as it was before the opponent's move
            moves.push_back(move);
        }
    }
    return moves;
}

// How good a move is. Compared from left to right: a later number decides only between equal earlier ones.
std::vector<int> worth(const Move &move) {
    std::vector<int> numbers;
    numbers.push_back(move.captured);
    numbers.push_back(count_liberties(move.after, move.point) > 1 ? 1 : 0);
    numbers.push_back(-(std::abs(move.point.first - SIZE / 2) + std::abs(move.point.second - SIZE / 2)));
    return numbers;
}

// My move as a line of output.txt. This is the part to make stronger.
//
// Ideas: keep my groups from having one liberty; look at the opponent's best answer (minimax);
// remember that only stones count at the end, and that White has 2.5 extra.
std::string choose(char colour, const Board &previous, const Board &board) {
    const std::vector<Move> moves = legal_moves(colour, previous, board);
    if (moves.empty()) return "PASS";
    std::size_t best = 0;
    for (std::size_t k = 1; k < moves.size(); ++k)
        if (worth(moves[k]) > worth(moves[best])) best = k;
    std::ostringstream text;
    text << moves[best].point.first << ',' << moves[best].point.second;
    return text.str();
}

int main() {
    char colour = BLACK;
    Board previous, board;
    if (!read_input(colour, previous, board)) {
        std::cerr << "input.txt: expected a colour and two boards" << std::endl;
        return 1;
    }
    std::ofstream output("output.txt");
    output << choose(colour, previous, board);
    return 0;
}
