// Who thinks for the pages: the kernel in a worker, and agents on the server.

import { Kernel } from "./kernel.js";
import { deriveSeed } from "./kernel/draws.js";
import { post } from "./server/api.js";

/** One for all pages. */
export const kernel = new Kernel();

const AGENT = /^agent:(.+)/;

/**
 * The move of the player to move, and the end of the game if an agent forfeits it.
 * @param {import("./go/game.js").Game} game
 * @param {import("./go/position.js").Position} position after the game's moves
 * @param {{ signal?: AbortSignal, id?: string }} options
 * @returns {Promise<{ move: string | null, outcome?: any }>}
 */
export async function chosenMove(game, position, { signal, id = "" } = {}) {
  const player = game.seats[position.toMove];
  const agent = AGENT.exec(player);
  if (!agent) {
    const seed = deriveSeed(game.seed, position.toMove.toUpperCase()); // as arena/games.py seats the players
    return { move: await kernel.choose(player, position, { seed, signal }) };
  }
  const { edition, size, komi, max_moves } = position.rules;
  const { cells, played } = game.start;
  if (/[12]/.test(cells) || played) throw new Error("An agent plays from the empty board only.");
  const body = { moves: game.moves, edition, size, komi, max_moves, game: id.slice(0, 40), seed: game.seed };
  return post(/** @type {`/api/agents/${string}/move`} */ (`/api/agents/${agent[1]}/move`), /** @type {any} */ (body));
}

/** The values of a position, told as they become known; a page that nobody sees stops the search. Returns how to stop. */
export function followValues(position, { leads = false }, take, fail) {
  let stop = () => {};
  const ask = () => {
    stop();
    stop = document.hidden ? () => {} : kernel.follow(position, { leads }, take, fail);
  };
  document.addEventListener("visibilitychange", ask);
  ask();
  return () => {
    stop();
    document.removeEventListener("visibilitychange", ask);
  };
}
