// The perfect player: it never leaves a won position, and makes a lost one as hard as it can, as
// littlego/players/exact.py and littlego/solve/resistance.py do.

import { Draws } from "./draws.js";
import { OutOfNodes } from "./engine.js";
import { UsageError, komiFor, moveOf, spotOf } from "./oracle.js";
import { PASS } from "../go/position.js";

/**
 * @typedef {import("../go/position.js").Position} Position
 * @typedef {import("./oracle.js").Oracle} Oracle
 * @typedef {{ move: string, after: Position, winning: number, undecided: Position[] }} Resistance
 */

const VARIED_LEFT = 12;
const NODES = 3_000_000;
const EXACT_LEFT = 14;
const TWO_REPLIES_LEFT = 8;
const COST_OF_A_QUESTION = 200;
const ALLOWANCES = [0, 1 << 8, 1 << 11, 1 << 14, 1 << 17, 1 << 20, Infinity];
const MARGIN = 25;

/** @param {Oracle} oracle @param {Position} position @param {number | bigint | string} seed @param {any} [options] */
export async function choosePerfect(oracle, position, seed, options = {}) {
  const why = position.whyUnsolvable();
  if (why) throw new UsageError(`the perfect player cannot play this: ${why}`);
  const draws = new Draws(seed, position.played);
  const winner = await oracle.value(position, options);
  if (winner === position.toMove && position.left > VARIED_LEFT) return winningMove(oracle, position, options);
  if (winner !== null && winner !== position.toMove)
    return draws.choice(await new LostPosition(oracle, position, options).hardest()).move;
  const moves = draws.shuffled(position.legalMoves());
  // A pass comes last: playing on gives the opponent more chances to go wrong.
  for (const move of [...moves.filter((one) => one !== PASS), PASS])
    if ((await oracle.value(position.play(move), options)) === winner) return move;
  throw new Error("no move keeps the value of the position");
}

/** A winning move of a won position; if it is known, the one that the proof was found with. */
async function winningMove(/** @type {Oracle} */ oracle, /** @type {Position} */ position, options) {
  const engine = oracle.engineOf(position.rules.size);
  const kept = () => {
    const { move } = engine.known(spotOf(position));
    return move === null ? null : moveOf(move, position);
  };
  const moves = position.legalMoves();
  let likely = kept();
  if (likely === null) {
    const mover = position.toMove;
    likely = moves.find((move) => oracle.known(position.play(move), 0) === mover) ?? null;
    if (likely === null) {
      const least = Math.max(Math.floor(komiFor(position)) + 1, engine.known(spotOf(position)).low);
      await oracle.reaches(position, least, { ...options, seek: true });
      likely = kept();
    }
  }
  for (const move of [...moves.filter((one) => one === likely), ...moves.filter((one) => one !== likely)])
    if ((await oracle.value(position.play(move), options)) === position.toMove) return move;
  throw new Error("won, and no move wins");
}

class Spent extends Error {}

/** Finds the moves of a lost position that are hardest to answer, within a number of nodes. */
class LostPosition {
  constructor(/** @type {Oracle} */ oracle, /** @type {Position} */ position, options) {
    this.oracle = oracle;
    this.position = position;
    this.options = options;
    this.left = position.left <= EXACT_LEFT ? Infinity : NODES;
  }

  async hardest() {
    let found = replies(this.position).map(([move, after]) => ({ move, after, winning: 0, undecided: [] }));
    if (found.length > 1) found = found.filter(({ move }) => move !== PASS);
    try {
      await this.count(found);
      found = fewest(found);
      found = await this.narrowest(found);
      if (this.position.left <= TWO_REPLIES_LEFT && found.length > 1) {
        const chances = [];
        for (const { after } of found) chances.push(await this.chance(after, 2));
        found = found.filter((_, k) => chances[k] === Math.min(...chances));
      }
    } catch (error) {
      if (!(error instanceof Spent)) throw error;
      found = fewest(found);
    }
    return found;
  }

  /** Count each move's winning replies until it is clear that another move has fewer. @param {Resistance[]} found */
  async count(found) {
    const most = () => Math.min(...found.map(({ winning, undecided }) => winning + undecided.length));
    for (const item of found) item.undecided = replies(item.after).map(([, after]) => after);
    for (const allowance of ALLOWANCES) {
      for (const item of [...found].sort((a, b) => estimate(a) - estimate(b))) {
        const enough = most();
        for (const after of [...item.undecided]) {
          if (item.winning > enough) break;
          const wins = await this.opponentWins(after, allowance);
          if (wins === null) continue;
          item.undecided.splice(item.undecided.indexOf(after), 1);
          item.winning += wins ? 1 : 0;
        }
      }
      const enough = most();
      if (!found.some(({ winning, undecided }) => winning <= enough && undecided.length)) return;
    }
  }

  /** Whether a reply won, or null if `allowance` nodes do not settle it. @param {Position} after @param {number} allowance */
  async opponentWins(after, allowance) {
    const least = Math.ceil(komiFor(this.position));
    const reached =
      allowance || after.outcome()
        ? await this.reaches(after, least, Math.max(allowance, 1))
        : this.oracle.knownReaches(after, least);
    return reached === null ? null : !reached;
  }

  /** @param {Resistance[]} found */
  async narrowest(found) {
    for (let target = Math.floor(-komiFor(this.position)) + 2; found.length > 1 && target <= MARGIN; target++) {
      const held = [];
      for (const item of found) if (!(await this.reaches(item.after, target, Infinity))) held.push(item);
      if (held.length) return held;
    }
    return found;
  }

  /**
   * The chance that an opponent who is to move, and moves at random, still wins after so many replies.
   * @param {Position} position
   * @param {number} count
   * @returns {Promise<number>}
   */
  async chance(position, count) {
    const least = Math.ceil(komiFor(this.position));
    const all = replies(position);
    if (!all.length) return 1;
    let total = 0;
    for (const [, after] of all) {
      if (await this.reaches(after, least, Infinity)) continue;
      const answers = replies(after);
      if (count === 1 || !answers.length) total += 1;
      else {
        const chances = [];
        for (const [, mine] of answers) chances.push(await this.chance(mine, count - 1));
        total += Math.min(...chances);
      }
    }
    return total / all.length;
  }

  /** Null if the allowance was too small. @param {Position} position @param {number} target @param {number} allowance */
  async reaches(position, target, allowance) {
    if (this.left <= 0) throw new Spent();
    const engine = this.oracle.engineOf(position.rules.size);
    const before = engine.nodes;
    try {
      return await this.oracle.reaches(position, target, {
        ...this.options,
        mostNodes: Math.min(allowance, this.left),
      });
    } catch (error) {
      if (error instanceof OutOfNodes) return null;
      throw error;
    } finally {
      this.left -= engine.nodes - before + COST_OF_A_QUESTION;
    }
  }
}

/** How many replies win, the undecided ones counted half. @param {Resistance} item */
const estimate = ({ winning, undecided }) => winning + undecided.length / 2;

/** @param {Resistance[]} found */
function fewest(found) {
  const least = Math.min(...found.map(estimate));
  return found.filter((item) => estimate(item) === least);
}

/** The legal moves and what they lead to; none when the game is over. @param {Position} position @returns {[string, Position][]} */
function replies(position) {
  return position.outcome() ? [] : position.legalMoves().map((move) => [move, position.play(move)]);
}
