// A puzzle goes on after the right move: the other side resists, until there is nothing left to find.

import { defence } from "./review.js";

/** So many moves of one's own a puzzle has at most. */
const MOST_MOVES = 3;
/** With more plies left a puzzle is one move: what follows takes too long to judge. */
const MOST_LEFT = 16;
/** With so many plies left every answer is tried; before, the one that a person would try. */
const ALL_LEFT = 12;

/**
 * The answer that leaves the solver the fewest moves that win; null if the puzzle ends here: the game is over, it was
 * the last move, or half of the moves would win.
 * @param {import("./position.js").Position} position after the solver's move
 * @param {number} found moves of the solver so far
 * @param {{ values: (position: any, options: any) => Promise<import("../kernel/oracle.js").Values> }} thinker
 * @param {{ signal?: AbortSignal }} options
 * @returns {Promise<string | null>}
 */
export async function resistance(position, found, thinker, { signal } = {}) {
  if (position.outcome() || found >= MOST_MOVES || position.left > MOST_LEFT) return null;
  const likely = defence(position);
  const others = position.left > ALL_LEFT ? [] : position.legalMoves().filter((move) => move !== likely);
  let [best, fewest] = [null, Infinity];
  for (const move of [likely, ...others]) {
    const after = position.play(move);
    if (after.outcome()) continue;
    const { values, to_move } = await thinker.values(after, { signal });
    const winners = Object.values(values);
    const wins = winners.filter((winner) => winner === to_move).length;
    if (wins < fewest && 2 * wins < winners.length) [best, fewest] = [move, wins];
  }
  return best;
}
