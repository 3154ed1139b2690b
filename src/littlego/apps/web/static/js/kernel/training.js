// Little-Go learned in the page: littlego/learn/trainer.py in JavaScript, on one board and without replay. The games, the
// updates and the tests are those of the kernel; a test trains the same learner in Python.

import { PUZZLES } from "../data.js";
import { Position, editionRules } from "../go/position.js";
import { Learned, layoutOf, shaped } from "./learned.js";

/** @typedef {{ games: number, alpha: number, epsilon: number, seed: number }} Settings */

/** Whom it is tested against, by the kernel's numbers. */
export const OPPONENTS = ["random", "greedy", "aggressive", "alphabeta"];
const SELF = -1n;
const TEST_GAMES = 25;
const SLACK = 0.005;
const TESTS = 20;
/** Games between two looks at what the page says. */
const STRIDE = 32;

/** `WHOLE_VIEW`. */
const VIEW = { stages: 6, kinds: ["proofs", "margins", "groups", "strips", "oblongs", "liberties"] };

const RULES = editionRules();
const START = new Position(RULES);

export class Training extends Learned {
  /** @param {any} compiled of `compile` @param {Settings} settings */
  constructor(compiled, settings) {
    const { size, komi, max_moves: length } = RULES;
    const blank = { size, komi, length, view: VIEW, scale: 1 };
    const of = compiled.layout;
    const { layout } = layoutOf(of, blank);
    const endings = of.learned_most_plies + 1;
    const moves = size ** 2 + 1;
    super(compiled, { ...blank, weights: new Float32Array(layout.weights) }, RULES, {
      found: shaped(new Float64Array(moves)),
      work: shaped(new BigInt64Array(endings * moves * of.learned_move_words), endings, moves, of.learned_move_words),
      seen: shaped(new BigInt64Array(2 * length), length, 2),
      targets: shaped(new Float64Array(length)),
    });
    this.settings = settings;
    this.games = 0;
    this.rates = this.heap.put(compiled.structures.Rates, {
      alpha: 0, // given with each call
      gamma: 1,
      lambda_: 0.7,
      epsilon: settings.epsilon,
      starts: 1,
      opening: Math.floor(0.75 * length),
      endings: 6,
      openers: shaped(BigInt64Array.of(SELF, 0n, 1n, 2n)),
      opponents: shaped(BigInt64Array.of(SELF)),
    });
    this.record = this.heap.put(compiled.structures.PracticeGames, {
      "moves.owns": shaped(new BigInt64Array(length), 1, length),
      "moves.others": shaped(new BigInt64Array(length), 1, length),
      "moves.best": shaped(new Float64Array(length), 1, length),
      "moves.exact": shaped(new Uint8Array(length), 1, length),
      "moves.ours": shaped(new Uint8Array(length), 1, length),
      "moves.explored": shaped(new Uint8Array(length), 1, length),
      lengths: shaped(new BigInt64Array(1)),
      black_won: shaped(new Uint8Array(1)),
      opponents: shaped(new BigInt64Array(1)),
    });
    this.state = this.heap.placed(BigUint64Array.of(seeded(settings.seed)));
    this.tests = this.heap.placed(BigUint64Array.of(1n));
  }

  get done() {
    return this.games >= this.settings.games;
  }

  /** Learn from a few games; whether it is time for a test. */
  advance() {
    const { games, alpha } = this.settings;
    const before = this.games;
    const count = Math.min(STRIDE, games - before);
    const rate = alpha * Math.max(1 - before / games, 0.02);
    this.heap.call("learned_train", this.address, count, before, this.rates, rate, this.record, this.state);
    this.games += count;
    const tested = (after) => Math.floor(TESTS * Math.sqrt(after / games));
    return this.done || tested(before) < tested(this.games);
  }

  /** Games won of so many, as one colour, by its number. Tests have draws of their own: they change nothing it learns. */
  won(/** @type {number} */ opponent, /** @type {number} */ colour, games = TEST_GAMES) {
    new BigUint64Array(this.heap.memory.buffer, this.tests, 1)[0] = seeded(1000 * this.games + 10 * opponent + colour);
    return this.heap.call("learned_match", this.address, games, opponent, colour, SLACK, this.tests);
  }

  /** How good it is now. */
  measure() {
    const share = (number) => (this.won(number, 0) + this.won(number, 1)) / (2 * TEST_GAMES);
    const choices = PUZZLES.map(({ moves, answer }) => ({ moves, answer, move: this.choice(placeOf(moves)) }));
    return { games: this.games, wins: OPPONENTS.map((_, number) => share(number)), choices };
  }

  /** The move of the best value. @param {Position} position */
  choice(position) {
    const values = position.legalMoves().map((move) => [move, this.valueAfter(position, move)]);
    return values.reduce((one, other) => (other[1] > one[1] ? other : one))[0];
  }
}

/** The position after moves as addresses write them. @param {string} text */
export function placeOf(text) {
  let position = START;
  for (let k = 0; k < text.length; k += 2) {
    const [column, row] = [...text.slice(k, k + 2)].map((letter) => letter.charCodeAt(0) - 97);
    position = position.play(text.startsWith("--", k) ? "PASS" : `${row},${column}`);
  }
  return position;
}

/** A state of the kernel's random numbers: never 0. @param {number} seed */
export function seeded(seed) {
  const word = BigInt.asUintN(64, (BigInt(seed) + 1n) * 0x9e3779b97f4a7c15n);
  return word || 1n;
}
