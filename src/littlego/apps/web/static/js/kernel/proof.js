// Who wins a position, proven from nothing but the rules: a table of its own, and no atlas. The guess is used, which
// orders moves and cannot change an answer.

import { Oracle } from "./oracle.js";
import { PASS, opponent } from "../go/position.js";

/**
 * @typedef {import("../go/position.js").Position} Position
 * @typedef {"black" | "white" | "tie"} Winner
 * @typedef {{ move: string, images: string[], winner: Winner | null }} Opening
 *   `images` are the points that symmetry makes the same as `move`
 * @typedef {{ openings: Opening[], nodes: number, seconds: number, share: number, value: Winner | null }} Told
 *   `openings` are all moves up to symmetry; `share` guesses how much of the work is done
 */

/** Of a game from the empty 5x5 board: a search is the same on every machine. */
const WHOLE_GAME = 53_774_278;
const MILLISECONDS = 200;

/**
 * The value of each move up to symmetry, the easy ones first, and so of the position.
 * @param {import("./engine.js").Engine} engine with an empty table
 * @param {Position} position
 * @param {{ pause: () => Promise<void>, tell: (told: Told) => void }} page `pause` may take long, or stop it all
 * @returns {Promise<Told>}
 */
export async function prove(engine, position, { pause, tell }) {
  const oracle = new Oracle(() => engine);
  const openings = openingsOf(position);
  /** @type {Opening} */
  const pass = { move: PASS, images: [], winner: null };
  const whole = position.played === 0 && position.rules.size === 5 && position.left === 24;
  let worked = 0;
  let from = performance.now();
  let told = -Infinity;
  /** @returns {Promise<Winner>} */
  const named = async (/** @type {string} */ move) => (await oracle.value(position.play(move), { ask })) ?? "tie";
  /** @returns {Winner | null} */
  const value = () => {
    const found = [...openings, pass].map(({ winner }) => winner);
    if (found.includes(position.toMove)) return position.toMove;
    if (found.includes(null)) return null;
    return found.includes("tie") ? "tie" : opponent(position.toMove);
  };
  const now = () => {
    const known = openings.filter(({ winner }) => winner).length;
    const share = whole ? engine.nodes / WHOLE_GAME : (known + engine.shareDone()) / openings.length;
    const seconds = (worked + performance.now() - from) / 1000;
    return { openings, nodes: engine.nodes, seconds, share: Math.min(share, 1), value: value() };
  };
  const ask = (_engine, spot, target, options) => engine.reaches(spot, target, { ...options, pause: breathe });
  const breathe = async () => {
    if (performance.now() - told > MILLISECONDS) {
      told = performance.now();
      tell(now());
    }
    worked += performance.now() - from; // a pause is no work
    await pause();
    from = performance.now();
  };
  for (const opening of openings) {
    opening.winner = await named(opening.move);
    tell(now());
  }
  // A pass is no opening, but it must lose too before White can be said to win.
  if (!value()) pass.winner = await named(PASS);
  return { ...now(), share: 1 };
}

/** The moves of stones up to symmetry, from the corner to the centre: that takes the longest. @param {Position} position @returns {Opening[]} */
export function openingsOf(position) {
  /** @type {Map<string, Opening>} */
  const found = new Map();
  for (const move of position.legalMoves()) {
    if (move === PASS) continue;
    const { cells, ko } = position.play(move);
    const key = leastImage(cells, ko === null ? -1 : position.point(ko), position.rules.size);
    const opening = found.get(key);
    if (opening) opening.images.push(move);
    else found.set(key, { move, images: [move], winner: null });
  }
  return [...found.values()];
}

/** The same for all eight images of a board. @param {string} cells @param {number} ko a point, or -1 @param {number} size */
function leastImage(cells, ko, size) {
  const last = size - 1;
  const images = [];
  for (const turned of [false, true])
    for (const down of [false, true])
      for (const right of [false, true]) {
        const at = (point) => {
          const [row, column] = [Math.floor(point / size), point % size];
          const [a, b] = turned ? [column, row] : [row, column];
          return size * (down ? last - a : a) + (right ? last - b : b);
        };
        const image = [...cells].map((_, point) => (at(point) === ko ? "ko" : cells[at(point)]));
        images.push(image.join(""));
      }
  return images.sort()[0];
}
