// Parts of standings that the page of a tournament and the wall share.

import { h } from "../dom.js";
import { tn } from "../language/language.js";

// How many places a player has won or lost lately: "▲2", "▼1", or nothing.
export function movement(row, games) {
  const risen = row.risen ?? 0;
  const lately = { games: String(games) };
  const title =
    risen > 0
      ? tn(risen, "{n} place up in the last {games} games", "{n} places up in the last {games} games", lately)
      : tn(-risen, "{n} place down in the last {games} games", "{n} places down in the last {games} games", lately);
  if (!risen) return h("span", { class: "movement" });
  return h("span", { class: `movement ${risen > 0 ? "good" : "bad"}`, title, role: "img", "aria-label": title }, [
    `${risen > 0 ? "▲" : "▼"}${Math.abs(risen)}`,
  ]);
}
