// A line of moves played out on a board, a sentence for each: why a move loses, or how a position is won.

import { button, h, replace } from "../dom.js";
import { describe } from "../go/position.js";
import { lineOf } from "../go/review.js";
import { kernel } from "../thinking.js";
import { moveName } from "./coordinates.js";

const PACE = 1200; // milliseconds

/**
 * Show how the side to move wins from a position, on a board. Returns how to stop; `close` is called when somebody closes it.
 * @param {{ board: import("./board.js").Board, from: import("../go/position.js").Position, says: Element, first?: string,
 *   close: () => void, fail: (error: Error) => void }} options `first` is said of the position itself
 */
export function showLine({ board, from, says, first = "", close, fail }) {
  const stopping = new AbortController();
  const name = (move) => moveName(move, from.rules.size);
  let line = null;
  let at = 0;
  let timer = null;
  const step = (text, label, by) =>
    h("button", { type: "button", class: "quiet small", "aria-label": label, onclick: () => go(at + by) }, text);
  const [back, forward] = [step("‹", "One move back", -1), step("›", "One move forward", 1)];
  draw();
  lineOf(from, kernel, { signal: stopping.signal, name }).then(
    (found) => {
      line = found;
      draw();
      play();
    },
    (error) => stopping.signal.aborted || fail(error),
  );

  function play() {
    timer = setTimeout(() => {
      if (at >= line.length) return;
      at += 1;
      draw();
      play();
    }, PACE);
  }

  function go(to) {
    clearTimeout(timer);
    at = Math.max(0, Math.min(line.length, to));
    draw();
  }

  function draw() {
    const moves = (line ?? []).slice(0, at).map(({ move }) => move);
    board.showGame({ ...describe(from, moves), illegal: {} }, { turn: null, marks: {} });
    back.disabled = !line || !at;
    forward.disabled = !line || at >= line.length;
    const words = at ? line[at - 1].words : [first, !line && "Looking for the line…"].filter(Boolean).join(" ");
    replace(
      says,
      h("p", {}, h("b", {}, at ? `${at} of ${line.length}: ` : ""), words),
      h("div", { class: "row" }, back, forward, button("Close", "quiet small", close)),
    );
  }

  return () => {
    clearTimeout(timer);
    stopping.abort();
  };
}
