// Parts of standings that the page of a tournament and the wall share.

import { h } from "../dom.js";
import { plural } from "../words.js";

// How many places a player has won or lost lately: "▲2", "▼1", or nothing.
export function movement(row, games) {
  const risen = row.risen ?? 0;
  const places = plural(Math.abs(risen), "{n} place", "{n} places");
  const title = `${places} ${risen > 0 ? "up" : "down"} in the last ${games} games`;
  if (!risen) return h("span", { class: "movement" });
  return h("span", { class: `movement ${risen > 0 ? "good" : "bad"}`, title, role: "img", "aria-label": title }, [
    `${risen > 0 ? "▲" : "▼"}${Math.abs(risen)}`,
  ]);
}
