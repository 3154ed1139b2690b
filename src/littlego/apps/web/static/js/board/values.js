// Exact values as a board draws them.

import { h, replace } from "../dom.js";
import { halves } from "../words.js";
import { SIGN_WORDS } from "./board.js";

// By move, its sign for the side to move: won, lost, tie, or open while it is not known.
export function signs(answer) {
  const found = {};
  for (const [move, value] of Object.entries(answer.values))
    found[move] = value === answer.to_move ? "won" : value === "tie" ? "tie" : "lost";
  for (const move of answer.missing) found[move] = "open";
  return found;
}

// The same with numbers, where they are known: by how many points the move wins or loses. The only move that keeps
// the best result is marked.
export function valueMarks(answer) {
  const found = signs(answer);
  const best = ["won", "tie"].find((sign) => Object.values(found).includes(sign));
  const keeping = Object.keys(found).filter((move) => found[move] === best);
  const marks = {};
  for (const [move, sign] of Object.entries(found)) {
    const lead = answer.leads[move];
    marks[move] = {
      sign,
      text: lead === undefined ? null : points(lead),
      only: keeping.length === 1 && keeping[0] === move && !answer.missing.length,
    };
  }
  return marks;
}

// 0.5 as "+½", -12.5 as "−12½".
export function points(lead) {
  return `${lead > 0 ? "+" : lead < 0 ? "−" : ""}${halves(Math.abs(lead))}`;
}

const PASS_TONES = { won: "good", lost: "bad", tie: "even" };
const SIGN_TEXTS = { won: "✓", lost: "✗", tie: "=", open: "…" };

// Shows the sign of a pass on its button, since a pass has no point on the board. Without a sign, a plain button.
export function showPass(button, sign, lead = undefined) {
  const text = lead === undefined ? SIGN_TEXTS[sign] : points(lead);
  replace(button, "Pass", sign && h("span", { class: PASS_TONES[sign] }, ` ${text}`));
  if (sign) button.setAttribute("aria-label", `Pass ${text}: ${SIGN_WORDS[sign]}`);
  else button.removeAttribute("aria-label");
}
