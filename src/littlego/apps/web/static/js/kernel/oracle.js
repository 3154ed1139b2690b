// Who wins a position with best play, by how much, and what each move is worth: littlego/solve/oracle.py in JavaScript.

import { OutOfNodes } from "./engine.js";
import { PASS, opponent } from "../go/position.js";

/**
 * @typedef {import("../go/position.js").Position} Position
 * @typedef {import("../go/position.js").Side} Side
 * @typedef {import("./engine.js").Engine} Engine
 * @typedef {{ reaches: (engine: Engine, spot: import("./engine.js").Spot, target: number, options?: any) => Promise<boolean> }} Turn
 *   asks an engine when it is free; see worker.js
 */

/** With more plies left only who wins is worked out, not by how much. */
export const MARGINS_LEFT = 16;
const FIRST_ALLOWANCE = 1 << 16;
const GROWTH = 4;

/** What cannot be answered, with the reason: wrong use, no bug. */
export class UsageError extends Error {}

/** Exact answers. */
export class Oracle {
  /** @param {(size: number) => Engine} engineOf */
  constructor(engineOf) {
    this.engineOf = engineOf;
  }

  /** Whether the side to move can end with at least so many stones more. */
  async reaches(/** @type {Position} */ position, /** @type {number} */ target, /** @type {any} */ options = {}) {
    const why = position.whyUnsolvable();
    if (why) throw new UsageError(`cannot solve this position: ${why}`);
    const ahead = difference(position);
    if (position.outcome()) return ahead >= target;
    // After a pass the side that is ahead ends the game; for one that is behind the pass changes nothing.
    if (position.passes && ahead >= target) return true;
    const engine = this.engineOf(position.rules.size);
    const spot = spotOf(position);
    const { low, high } = engine.known(spot);
    if (!options.seek && !(low < target && target <= high)) return low >= target;
    return (options.ask ?? askAtOnce)(engine, spot, target, options);
  }

  /** The same if it is known without searching, else null. @param {Position} position @param {number} target */
  knownReaches(position, target) {
    const ahead = difference(position);
    if (position.outcome() || (position.passes && ahead >= target)) return ahead >= target;
    const { low, high } = this.engineOf(position.rules.size).known(spotOf(position));
    return low >= target ? true : high < target ? false : null;
  }

  /** Who wins; null for a tie. @param {Position} position @param {any} [options] @returns {Promise<Side | null>} */
  async value(position, options) {
    const komi = komiFor(position);
    if (await this.reaches(position, Math.floor(komi) + 1, options)) return position.toMove;
    if (komi === Math.floor(komi) && (await this.reaches(position, komi, options))) return null;
    return opponent(position.toMove);
  }

  /** Black's stones minus White's in the end if both play for the margin, without komi. @param {Position} position */
  async margin(position, options) {
    const most = 25;
    let [low, high] = [-most, most];
    let target = Math.floor(komiFor(position)) + 1;
    let step = 1;
    while (low < high) {
      target = Math.min(Math.max(target, low + 1), high);
      if (await this.reaches(position, target, options)) low = target;
      else high = target - 1;
      if (low > -most && high < most) target = Math.floor((low + high + 1) / 2);
      else {
        target += low > -most ? step : -step;
        step *= 2;
      }
    }
    return position.toMove === "black" ? low : -low || 0;
  }

  /**
   * Who wins if that is known without searching, looking so many plies further; null for a tie, undefined if unknown.
   * @param {Position} position
   * @returns {Side | null | undefined}
   */
  known(position, plies = 1) {
    const ended = position.outcome();
    if (ended) return /** @type {Side | null} */ (ended.winner);
    const mover = position.toMove;
    const other = opponent(mover);
    const komi = komiFor(position);
    // After a pass the side to move may end the game as it stands, or play on as if nobody had passed.
    const least = position.passes ? difference(position) : -Infinity;
    const { low, high } = this.engineOf(position.rules.size).known(spotOf(position));
    if (Math.max(low, least) > komi) return mover;
    if (Math.max(high, least) < komi) return other;
    if (!plies) return undefined;
    const replies = position.legalMoves().map((move) => this.known(position.play(move), plies - 1));
    if (replies.includes(mover)) return mover;
    return replies.includes(undefined) ? undefined : replies.includes(null) ? null : other;
  }

  /**
   * A winning move; null if there is none.
   * @param {Position} position @param {any} [options] @returns {Promise<string | null>}
   */
  async winningMove(position, options) {
    const mover = position.toMove;
    if (position.outcome() || (await this.value(position, options)) !== mover) return null;
    const afters = position.legalMoves().map((move) => ({ move, after: position.play(move) }));
    const found = afters.find(({ after }) => this.known(after) === mover);
    if (found) return found.move;
    for (let mostNodes = FIRST_ALLOWANCE; ; mostNodes *= GROWTH) {
      for (const { move, after } of afters) {
        try {
          if ((await this.value(after, { ...options, mostNodes })) === mover) return move;
        } catch (error) {
          if (!(error instanceof OutOfNodes)) throw error;
        }
      }
    }
  }

  /**
   * The values of all moves, as pages show them, told whenever something new is known. `leads` asks for margins, too.
   * @param {Position} position
   * @param {{ leads?: boolean, take?: (answer: Values) => void, ask?: any }} [options]
   * @returns {Promise<Values>}
   */
  async values(position, { leads = false, take = () => {}, ask } = {}) {
    const why = position.whyUnsolvable();
    if (why) throw new UsageError(`cannot solve this position: ${why}`);
    const answer = new Answer(position, leads && position.left <= MARGINS_LEFT);
    for (const [move, after] of answer.afters) {
      const found = this.known(after);
      if (found !== undefined) answer.winners.set(move, found);
    }
    if (answer.isOpen) take(answer.told());
    // Easy moves first: each may take a number of nodes, which grows with every round. The table keeps what was found.
    const settle = async (known, question) => {
      for (let mostNodes = FIRST_ALLOWANCE; known.size < answer.afters.size; mostNodes *= GROWTH) {
        for (const [move, after] of answer.afters) {
          if (known.has(move)) continue;
          try {
            known.set(move, await question(after, { mostNodes, ask }));
          } catch (error) {
            if (error instanceof OutOfNodes) continue;
            throw error;
          }
          if (answer.isOpen) take(answer.told());
        }
      }
    };
    await settle(answer.winners, (after, options) => this.value(after, options));
    if (answer.wantsLeads) await settle(answer.margins, (after, options) => this.margin(after, options));
    take(answer.told());
    return answer.told();
  }
}

/**
 * What is known of a position's moves: `values` are winners by move, `leads` the points that the side to move is ahead in
 * the end, komi counted. `value` is that of the position.
 * @typedef {{ to_move: Side, plies_left: number, value: "black" | "white" | "tie" | "unknown",
 *   values: Record<string, "black" | "white" | "tie">, missing: string[], leads: Record<string, number>,
 *   leads_missing: number, margins_left: number, state: "working" | "settled", words: string }} Values
 */

class Answer {
  /** @param {Position} position @param {boolean} wantsLeads */
  constructor(position, wantsLeads) {
    this.position = position;
    this.wantsLeads = wantsLeads;
    const moves = position.outcome() ? [] : position.legalMoves();
    this.afters = new Map(moves.map((move) => [move, position.play(move)]));
    /** @type {Map<string, Side | null>} */
    this.winners = new Map();
    /** @type {Map<string, number>} */
    this.margins = new Map();
  }

  get isOpen() {
    const { winners, margins, afters, wantsLeads } = this;
    return winners.size < afters.size || (wantsLeads && margins.size < afters.size);
  }

  /** @returns {Values} */
  told() {
    const { position, winners, margins, afters } = this;
    const mover = position.toMove;
    const moves = [...afters.keys()];
    const sign = mover === "black" ? 1 : -1;
    const named = (winner) => winner ?? "tie";
    return {
      to_move: mover,
      plies_left: position.left,
      value: this.value(),
      values: Object.fromEntries(
        moves.filter((move) => winners.has(move)).map((move) => [move, named(winners.get(move))]),
      ),
      missing: moves.filter((move) => !winners.has(move)),
      leads: Object.fromEntries([...margins].map(([move, margin]) => [move, sign * (margin - position.rules.komi)])),
      leads_missing: this.wantsLeads ? moves.length - margins.size : 0,
      margins_left: MARGINS_LEFT,
      state: this.isOpen ? "working" : "settled",
      words: this.words(),
    };
  }

  /** @returns {Values["value"]} */
  value() {
    const ended = this.position.outcome();
    if (ended) return /** @type {Side | null} */ (ended.winner) ?? "tie";
    const mover = this.position.toMove;
    const found = [...this.winners.values()];
    if (found.includes(mover)) return mover;
    if (found.length < this.afters.size) return "unknown";
    return found.includes(null) ? "tie" : opponent(mover);
  }

  words() {
    const total = this.afters.size;
    const found = [...this.winners.values()];
    const wins = found.filter((winner) => winner === this.position.toMove).length;
    const ties = found.filter((winner) => winner === null).length;
    const of = (count, all) => `${count} of ${all} move${all === 1 ? "" : "s"}`;
    const keep = (count) => (count === 1 ? "keeps" : "keep");
    if (found.length < total) {
      const so = wins ? `, ${wins} of them ${keep(wins)} the win` : found.length ? ", no win among them" : "";
      return `${of(found.length, total)} known${so}; working out the rest…`;
    }
    if (wins) return `${of(wins, total)} ${keep(wins)} the win.`;
    if (ties) return `No move wins. ${of(ties, total)} ${keep(ties)} the tie.`;
    return "Every move loses against best play.";
  }
}

/** @type {Turn["reaches"]} */
const askAtOnce = (engine, spot, target, options) => engine.reaches(spot, target, options);

/** What the stones of the side to move minus the opponent's must exceed. @param {Position} position */
export const komiFor = ({ rules, toMove }) => (toMove === "black" ? rules.komi : -rules.komi);

/** The stones of the side to move minus the opponent's. @param {Position} position */
function difference({ cells, toMove }) {
  const black = cells.split("1").length - cells.split("2").length;
  return toMove === "black" ? black : -black;
}

/** A position in the frame; passes in a row are no part of it. @param {Position} position */
export function spotOf(position) {
  const { size } = position.rules;
  const framed = (point) => 5 * Math.floor(point / size) + (point % size);
  const masks = { 0: 0, 1: 0, 2: 0 };
  [...position.cells].forEach((digit, point) => (masks[digit] |= 1 << framed(point)));
  const [mine, theirs] = position.toMove === "black" ? [masks[1], masks[2]] : [masks[2], masks[1]];
  return { mine, theirs, ko: position.ko === null ? null : framed(position.point(position.ko)), left: position.left };
}

/** The name of a point of the frame, or of a pass. @param {number} move @param {Position} position */
export function moveOf(move, position) {
  return move === 25 ? PASS : position.name(Math.floor(move / 5) * position.rules.size + (move % 5));
}
