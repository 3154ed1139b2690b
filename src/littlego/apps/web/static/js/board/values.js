// Exact values of a position: what is known at once, the rest as the server finds it.

import { h, replace } from "../dom.js";
import { halves } from "../words.js";
import { listen, post } from "../server/api.js";
import { SIGN_WORDS } from "./board.js";

// Asks for the values of `position` (the body of /api/values) and calls `take` with every answer until it is stopped.
// A hidden page stops listening, so that the server does not search for nobody, and asks again when it is shown. A search
// that was paused or given up resumes when somebody touches the page. Returns how to stop.
export function followValues(position, take, fail) {
  let stopped = false;
  let forget = null;
  let resting = false;

  async function ask() {
    try {
      const answer = await post("/api/values", position);
      if (stopped) return;
      receive(answer);
      if (isOpen(answer) && !forget && !document.hidden)
        forget = listen(`values:${answer.key}`, (news) => stopped || receive(news), ask);
    } catch (error) {
      if (!stopped) fail(error);
    }
  }

  function receive(answer) {
    resting = answer.state === "paused" || answer.state === "given_up";
    take(answer);
    if (!isOpen(answer)) leave();
  }

  function leave() {
    forget?.();
    forget = null;
  }

  function seen() {
    if (document.hidden) leave();
    else ask();
  }

  function touched() {
    if (!resting) return;
    resting = false;
    ask();
  }

  document.addEventListener("visibilitychange", seen);
  document.addEventListener("pointerdown", touched);
  document.addEventListener("keydown", touched);
  ask();
  return () => {
    stopped = true;
    leave();
    document.removeEventListener("visibilitychange", seen);
    document.removeEventListener("pointerdown", touched);
    document.removeEventListener("keydown", touched);
  };
}

const isOpen = (answer) => answer.missing.length > 0 || answer.leads_missing > 0;

// By move, its sign for the side to move: won, lost, tie, or open while it is not known.
export function signs(answer) {
  const found = {};
  for (const [move, value] of Object.entries(answer.values))
    found[move] = value === answer.to_move ? "won" : value === "tie" ? "tie" : "lost";
  for (const move of answer.missing) found[move] = "open";
  return found;
}

// The same with numbers, where they are known: by how many points the move wins or loses. The further a move is from the
// best, the higher its grade; the only move that keeps the best result is marked.
export function valueMarks(answer) {
  const found = signs(answer);
  const best = ["won", "tie"].find((sign) => Object.values(found).includes(sign));
  const keeping = Object.keys(found).filter((move) => found[move] === best);
  const most = Math.max(...Object.values(answer.leads));
  const marks = {};
  for (const [move, sign] of Object.entries(found)) {
    const lead = answer.leads[move];
    const isKnown = lead !== undefined;
    marks[move] = {
      sign,
      text: isKnown ? points(lead) : null,
      grade: isKnown ? Math.min(3, Math.ceil((most - lead) / 4)) : null,
      only: keeping.length === 1 && keeping[0] === move && !answer.missing.length,
    };
  }
  return marks;
}

// 0.5 as "+½", -12.5 as "−12½".
export function points(lead) {
  return `${lead > 0 ? "+" : lead < 0 ? "−" : ""}${halves(Math.abs(lead))}`;
}

const SIGN_TEXTS = { won: "✓", lost: "✗", tie: "=", open: "…" };

// Shows the sign of a pass on its button, since a pass has no point on the board. Without a sign, a plain button.
export function showPass(button, sign, lead = undefined) {
  const text = lead === undefined ? SIGN_TEXTS[sign] : points(lead);
  replace(button, "Pass", sign && h("span", { class: `pass-sign ${sign}` }, ` ${text}`));
  if (sign) button.setAttribute("aria-label", `Pass ${text}: ${SIGN_WORDS[sign]}`);
  else button.removeAttribute("aria-label");
}
