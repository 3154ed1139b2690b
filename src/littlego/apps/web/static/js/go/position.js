// The rules of the game in the page: what may be played, what a move does and how a game ends, as
// littlego/core/position.py has them. Tests play the same games in both and compare every field.

/**
 * @typedef {{ edition: string, size: number, komi: number, max_moves: number, passing: boolean, ko: string }} Rules
 * @typedef {"black" | "white"} Side
 */

export const PASS = "PASS";
const LARGEST_SOLVED = 5;
const MOST_LEFT_SOLVED = 31;

export const WHY = {
  off_board: "the point is not on the board",
  occupied: "the point is occupied",
  suicide: "the stone would have no liberty (suicide)",
  ko: "the move would retake the ko at once",
  repeats: "the move would repeat an earlier board of this game",
  no_passing: "passing is not allowed in this edition",
};

/** The rules of a course's edition. @param {string} edition @param {number} size @returns {Rules} */
export function editionRules(edition = "2025", size = 5) {
  const old = edition === "2019";
  return {
    edition,
    size,
    komi: size / 2,
    max_moves: size * size - 1,
    passing: !old,
    ko: old ? "positional" : "simple",
  };
}

/** @param {Side} side @returns {Side} */
export const opponent = (side) => (side === "black" ? "white" : "black");

/** A position. It never changes: `play` gives the next one. */
export class Position {
  /**
   * @param {Rules} rules
   * @param {{ cells?: string, toMove?: Side, ko?: string | null, passes?: number, played?: number, earlier?: string[] }} [facts]
   *   `cells` are the points row by row, 1 for Black and 2 for White; `earlier` are the boards before this one, kept under
   *   positional ko only
   */
  constructor(rules, { cells, toMove = "black", ko = null, passes = 0, played = 0, earlier = [] } = {}) {
    this.rules = rules;
    this.cells = cells ?? "0".repeat(rules.size ** 2);
    this.toMove = toMove;
    this.ko = ko;
    this.passes = passes;
    this.played = played;
    this.earlier = earlier;
  }

  get left() {
    return Math.max(0, this.rules.max_moves - this.played);
  }

  /** The point that a move names, or -1 off the board. @param {string} move */
  point(move) {
    const { size } = this.rules;
    const [row, column, ...more] = move.split(",").map(Number);
    const isOn = !more.length && [row, column].every((k) => Number.isInteger(k) && k >= 0 && k < size);
    return isOn ? row * size + column : -1;
  }

  /** @param {number} point */
  name(point) {
    return `${Math.floor(point / this.rules.size)},${point % this.rules.size}`;
  }

  /** Which rule a move breaks, as words that follow the move, or null. @param {string} move */
  whyIllegal(move) {
    if (move === PASS) return this.rules.passing ? null : WHY.no_passing;
    const point = this.point(move);
    if (point < 0) return WHY.off_board;
    if (this.cells[point] !== "0") return WHY.occupied;
    if (move === this.ko) return WHY.ko;
    const { cells } = this.placed(point);
    if (!group(cells, point, this.rules.size).liberties.size) return WHY.suicide;
    return this.earlier.includes(cells) ? WHY.repeats : null;
  }

  /** Points in the order of the rows, then the pass. */
  legalMoves() {
    const moves = [...this.cells].map((_, point) => this.name(point));
    return [...moves, PASS].filter((move) => this.whyIllegal(move) === null);
  }

  /** The board with a stone of the side to move on an empty point, and what it captures. @param {number} point */
  placed(point) {
    const { size } = this.rules;
    const mine = this.toMove === "black" ? "1" : "2";
    let cells = swapped(this.cells, [point], mine);
    const taken = new Set();
    for (const near of neighbours(point, size)) {
      if (cells[near] === "0" || cells[near] === mine || taken.has(near)) continue;
      const { stones, liberties } = group(cells, near, size);
      if (!liberties.size) stones.forEach((stone) => taken.add(stone));
    }
    cells = swapped(cells, taken, "0");
    return { cells, taken: [...taken] };
  }

  /** The position after a legal move; of an illegal one an error that says why. @param {string} move @returns {Position} */
  play(move) {
    const why = this.whyIllegal(move);
    if (why) throw new Error(`move ${this.played + 1}: ${move}: ${why}`);
    const isSimple = this.rules.ko === "simple";
    const next = {
      toMove: opponent(this.toMove),
      played: this.played + 1,
      earlier: isSimple ? [] : [...this.earlier, this.cells],
    };
    if (move === PASS) return new Position(this.rules, { ...next, cells: this.cells, passes: this.passes + 1 });
    const point = this.point(move);
    const { cells, taken } = this.placed(point);
    const alone = group(cells, point, this.rules.size);
    const isKo = isSimple && taken.length === 1 && alone.stones.size === 1 && alone.liberties.size === 1;
    return new Position(this.rules, { ...next, cells, ko: isKo ? this.name(taken[0]) : null });
  }

  /** How many stones a legal move captures. @param {string} move */
  captures(move) {
    return move === PASS ? 0 : this.placed(this.point(move)).taken.length;
  }

  /** How many liberties the stone on a point has, with those connected to it. @param {number} point */
  liberties(point) {
    return group(this.cells, point, this.rules.size).liberties.size;
  }

  /** Both scores if the game ended now. */
  score() {
    const count = (digit) => this.cells.split(digit).length - 1;
    return { black: count("1"), white: count("2") + this.rules.komi };
  }

  /** How the game ended on the board, or null while it goes on. */
  outcome() {
    const goesOn = this.played < this.rules.max_moves && this.passes < 2;
    if (goesOn && (this.rules.passing || this.legalMoves().length)) return null;
    const { black, white } = this.score();
    const winner = black === white ? null : black > white ? "black" : "white";
    const text = winner
      ? `${winner === "black" ? "Black" : "White"} wins by ${Math.abs(black - white)} (${black}-${white})`
      : `A tie, ${black}-${white}`;
    return { winner, verdict: "score", text };
  }

  /** Why there are no exact values here, or null. */
  whyUnsolvable() {
    const { size, ko, edition, passing } = this.rules;
    const most = LARGEST_SOLVED;
    if (size > most) return `a ${size}x${size} board is too large to solve: boards up to ${most}x${most} can be`;
    if (ko !== "simple")
      return (
        `the rules of ${edition} forbid every earlier board of the game, so the value depends on the whole ` +
        "history and not on the position; the editions with the simple ko can be solved"
      );
    if (!passing) return "games without passing are not solved: the search reasons about passes";
    if (this.left > MOST_LEFT_SOLVED) return `${this.left} moves left: at most ${MOST_LEFT_SOLVED} can be solved`;
    return null;
  }
}

/**
 * Every position from a start through moves, the start included. An error says which move cannot be played.
 * @param {Position} start
 * @param {string[]} moves
 * @param {number} recorded so many moves are a record's, which may go on after two passes
 */
function positionsOf(start, moves, recorded) {
  const positions = [start];
  moves.forEach((move, k) => {
    const last = positions[k];
    if (k >= recorded && last.outcome())
      throw new Error(`move ${last.played + 1}, ${move}: the game had already ended`);
    positions.push(last.play(move));
  });
  return positions;
}

/**
 * A line of moves as pages draw it.
 * @param {Position} start
 * @param {string[]} moves
 * @param {{ black?: string, white?: string, recorded?: number }} [about]
 */
export function describe(start, moves, { black = "Black", white = "White", recorded = 0 } = {}) {
  const positions = positionsOf(start, moves, recorded);
  const last = positions[positions.length - 1];
  const outcome = last.outcome();
  const captured = { black: 0, white: 0 };
  moves.forEach((move, k) => (captured[positions[k].toMove] += positions[k].captures(move)));
  /** @type {Record<string, string>} */
  const illegal = {};
  [...last.cells].forEach((_, point) => {
    const why = outcome ? null : last.whyIllegal(last.name(point));
    if (why) illegal[last.name(point)] = why;
  });
  return {
    black,
    white,
    rules: start.rules,
    start_move: start.played,
    first: start.toMove,
    moves,
    boards: positions.map(({ cells }) => cells),
    kos: positions.map(({ ko }) => ko),
    captured,
    to_move: last.toMove,
    legal: outcome ? [] : last.legalMoves(),
    illegal,
    score: last.score(),
    plies_left: last.left,
    unsolvable: last.whyUnsolvable(),
    outcome,
  };
}

/** @param {number} point @param {number} size */
function neighbours(point, size) {
  const column = point % size;
  const near = [];
  if (point >= size) near.push(point - size);
  if (column > 0) near.push(point - 1);
  if (column < size - 1) near.push(point + 1);
  if (point < size * (size - 1)) near.push(point + size);
  return near;
}

/** The stones connected to the one on a point, and their liberties. @param {string} cells */
export function group(cells, point, size) {
  const stones = new Set([point]);
  const liberties = new Set();
  for (const stone of stones) {
    for (const near of neighbours(stone, size)) {
      if (cells[near] === "0") liberties.add(near);
      else if (cells[near] === cells[point]) stones.add(near); // a set also visits what is added on the way
    }
  }
  return { stones, liberties };
}

/** @param {string} cells @param {Iterable<number>} points @param {string} digit */
function swapped(cells, points, digit) {
  const all = [...cells];
  for (const point of points) all[point] = digit;
  return all.join("");
}
