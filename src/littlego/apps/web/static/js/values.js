// Exact values of a position: what is known at once, the rest as the server finds it.

import { listen, post } from "./api.js";
import { h, replace } from "./dom.js";

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
      if (answer.missing.length && !forget && !document.hidden)
        forget = listen(`values:${answer.key}`, (news) => stopped || receive(news), ask);
    } catch (error) {
      if (!stopped) fail(error);
    }
  }

  function receive(answer) {
    resting = answer.state === "paused" || answer.state === "given_up";
    take(answer);
    if (!answer.missing.length) leave();
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

// By move, its sign for the side to move: won, lost, tie, or open while it is not known.
export function signs(answer) {
  const found = {};
  for (const [move, value] of Object.entries(answer.values))
    found[move] = value === answer.to_move ? "won" : value === "tie" ? "tie" : "lost";
  for (const move of answer.missing) found[move] = "open";
  return found;
}

const SIGN_WORDS = { won: "wins", lost: "loses", tie: "ties", open: "not known yet" };
const SIGN_TEXTS = { won: "✓", lost: "✗", tie: "=", open: "…" };

// Shows the sign of a pass on its button, since a pass has no point on the board. Without a sign, a plain button.
export function showPass(button, sign) {
  replace(button, "Pass", sign && h("span", { class: `pass-sign ${sign}` }, ` ${SIGN_TEXTS[sign]}`));
  if (sign) button.setAttribute("aria-label", `Pass: ${SIGN_WORDS[sign]}`);
  else button.removeAttribute("aria-label");
}
