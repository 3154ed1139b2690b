// Tic-tac-toe learned in the page: littlego/tictactoe/learner.py in JavaScript, trained by the kernel; and the truth, worked
// out by trying every game. A position is a number in base 3, the top left cell its lowest digit: 1 for X, 2 for O.

import { Heap } from "./engine.js";
import { shaped } from "./learned.js";
import { seeded } from "./training.js";

const POSITIONS = 3 ** 9;
const POWERS = [...Array(9).keys()].map((cell) => 3 ** cell);
const LINES = ["012", "345", "678", "036", "147", "258", "048", "246"].map((line) => [...line].map(Number));
const [X, O] = [1, 2];
const [WIN, DRAW, LOSS] = [1, 0, -10];
const FALL = 0.7;
const TESTS = 40;

const cellsOf = (/** @type {number} */ code) => POWERS.map((power) => Math.floor(code / power) % 3);

/** The winner, 0 for a draw, -1 while the game goes on. @param {number} code */
export function resultOf(code) {
  const cells = cellsOf(code);
  const won = LINES.find(([a, b, c]) => cells[a] && cells[a] === cells[b] && cells[a] === cells[c]);
  return won ? cells[won[0]] : cells.includes(0) ? -1 : 0;
}

const RESULTS = Int8Array.from({ length: POSITIONS }, (_, code) => resultOf(code));

/** @param {number} code */
const moverOf = (code) => (cellsOf(code).filter(Boolean).length % 2 ? O : X);

/** What follows each empty cell's move. @param {number} code @returns {[number, number][]} */
const movesOf = (code) =>
  RESULTS[code] !== -1
    ? []
    : cellsOf(code).flatMap((mark, cell) =>
        mark ? [] : [/** @type {[number, number]} */ ([cell, code + moverOf(code) * POWERS[cell]])],
      );

/** Calls of a function of positions, each worked out once. @param {(code: number) => number} of */
function once(of) {
  const known = new Map();
  return (/** @type {number} */ code) => {
    if (!known.has(code)) known.set(code, of(code));
    return known.get(code);
  };
}

/** With best play: 1 if X wins, -1 if O does, 0 for a draw. */
export const valueOf = once((code) => {
  if (RESULTS[code] !== -1) return [0, 1, -1][RESULTS[code]];
  const values = movesOf(code).map(([, after]) => valueOf(after));
  return moverOf(code) === X ? Math.max(...values) : Math.min(...values);
});

/**
 * The true value of a position after a side's own move: what it gets on average against the random player if it plays
 * best from there on. That is what the learner's values should become.
 */
export function expectation(/** @type {number} */ side) {
  const reward = (result) => (result === 0 ? DRAW : result === side ? WIN : LOSS);
  const expected = once((code) => {
    if (RESULTS[code] !== -1) return reward(RESULTS[code]);
    const values = movesOf(code).map(([, after]) => expected(after));
    return moverOf(code) === side ? Math.max(...values) : values.reduce((sum, one) => sum + one, 0) / values.length;
  });
  return expected;
}

/** The positions that a player meets as a side, whatever the other does, and those where it gives a win or a draw away. */
export function mistakesOf(/** @type {(code: number) => number} */ choose, /** @type {number} */ side) {
  const met = new Set();
  let mistakes = 0;
  const frontier = side === X ? [0] : movesOf(0).map(([, after]) => after);
  for (let code = frontier.pop(); code !== undefined; code = frontier.pop()) {
    if (met.has(code) || RESULTS[code] !== -1) continue;
    met.add(code);
    const after = code + side * POWERS[choose(code)];
    if (valueOf(after) !== valueOf(code)) mistakes += 1;
    frontier.push(...movesOf(after).map(([, next]) => next));
  }
  return { met: met.size, mistakes };
}

/** A learner that plays as both sides against the random player. */
export class TicTacToe extends Heap {
  /** @param {any} compiled of `compile` @param {import("./training.js").Settings} settings `games` as each side */
  constructor(compiled, settings) {
    super(compiled, 8 * (2 * settings.games + 18 * POSITIONS) + (1 << 22));
    this.settings = settings;
    this.games = 0;
    const q = new Float64Array(9 * POSITIONS).fill(WIN); // what was never tried looks best, so that it is
    for (let code = 0; code < POSITIONS; code++)
      cellsOf(code).forEach((mark, cell) => mark && (q[9 * code + cell] = -Infinity));
    this.q = this.placed(q);
    this.rewards = this.placed(new Float64Array(3));
    const rates = Float64Array.from({ length: 2 * settings.games }, (_, k) => settings.alpha / (k + 1) ** FALL);
    this.tables = this.put(compiled.structures.Tables, {
      q: { address: this.q, shape: [POSITIONS, 9] },
      learned: shaped(new BigInt64Array(9 * POSITIONS), POSITIONS, 9),
      rates: shaped(rates),
      rewards: { address: this.rewards, shape: [3] },
      results: shaped(RESULTS),
      powers: shaped(BigInt64Array.from(POWERS, BigInt)),
      codes: shaped(new BigInt64Array(5)),
      cells: shaped(new BigInt64Array(5)),
    });
    this.state = this.placed(BigUint64Array.of(seeded(settings.seed)));
    const expected = [expectation(X), expectation(O)];
    /** What is shown: the first moves, and the answers to one in the centre, with their true values. */
    this.boards = [0, POWERS[4]].map((code, k) => ({
      code,
      cells: cellsOf(code),
      truth: cellsOf(code).map((mark, cell) => (mark ? null : expected[k](code + (k + 1) * POWERS[cell]))),
    }));
  }

  get done() {
    return this.games >= this.settings.games;
  }

  /** Learn from games as each side, more and more of them; it is always time for a test. */
  advance() {
    const { games, epsilon } = this.settings;
    const part = (this.part = (this.part ?? 0) + 1);
    const count = Math.max(1, Math.round(games * (part / TESTS) ** 3)) - this.games;
    if (count <= 0) return false;
    for (const side of [O, X]) {
      const rewards = side === X ? [DRAW, WIN, LOSS] : [DRAW, LOSS, WIN];
      new Float64Array(this.memory.buffer, this.rewards, 3).set(rewards);
      this.call("tictactoe_train", this.tables, side, count, 1, epsilon, this.state);
    }
    this.games += count;
    return true;
  }

  /** The values of the cells in a position. @param {number} code */
  values(code) {
    return [...new Float64Array(this.memory.buffer, this.q + 72 * code, 9)];
  }

  /** The first of the best cells. @param {number} code */
  choice(code) {
    const values = this.values(code);
    return values.indexOf(Math.max(...values));
  }

  measure() {
    const [first, second] = [X, O].map((side) => mistakesOf((code) => this.choice(code), side));
    const boards = this.boards.map((one) => ({ ...one, values: this.values(one.code) }));
    return { games: this.games, first, second, boards };
  }
}
