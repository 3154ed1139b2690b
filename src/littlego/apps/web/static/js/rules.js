// The rules in twenty seconds: three small boards, in a dialog that every page can open.

import { Board } from "./board/board.js";
import { button, h } from "./dom.js";

// Boards before and after the move that a lesson shows.
const LESSONS = [
  {
    heading: "Capture",
    text: "Take turns to place a stone where lines cross. Stones joined along the lines are a group. A group without an empty point beside it is taken off.",
    move: "Black takes two stones",
    before: { cells: "0000000110012200011000000", marks: { "2,4": "best" } },
    after: { cells: "0000000110010010011000000", last: "2,4" },
  },
  {
    heading: "Ko",
    text: "What has just been taken may not be taken back at once, or the board would repeat itself. Play elsewhere first.",
    move: "Black takes a stone",
    before: { cells: "0000000120012020012000000", marks: { "2,3": "best" } },
    after: { cells: "0000000120010120012000000", last: "2,3", ko: "2,2" },
  },
  {
    heading: "Count",
    text: "After 24 moves, or two passes in a row, whoever has more stones on the board wins. White gets 2½ points extra for moving second, the komi.",
    result: "Black 11 stones, White 8 + 2½ = 10½: Black wins by half a point, with three stones more.",
    before: { cells: "0022202220111120111201111" },
  },
];

export function showRules() {
  const close = button("Got it", null, () => dialog.close());
  const dialog = h("dialog", { class: "card rules", "aria-labelledby": "rules-title" }, [
    h("h2", { id: "rules-title" }, "The rules in twenty seconds"),
    h("div", { class: "lessons" }, LESSONS.map(lesson)),
    h("p", {}, [
      "A stone without an empty point beside it or its group may not be placed, unless it captures. Passing is always allowed.",
    ]),
    h(
      "p",
      { class: "row" },
      close,
      h("a", { href: "#/solution", onclick: () => dialog.close() }, "How perfect play goes"),
    ),
  ]);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  close.focus({ preventScroll: true });
}

function lesson({ heading, text, move, result, before, after }) {
  const board = new Board({ size: 5, label: `${heading}: ${result ?? "before the move"}`, coordinates: false });
  board.show(before);
  let shown = false;
  const toggle =
    move &&
    button(move, "quiet small", () => {
      shown = !shown;
      board.label = `${heading}: ${shown ? "after the move" : "before the move"}`;
      board.show(shown ? after : before);
      toggle.setAttribute("aria-pressed", String(shown));
    });
  return h(
    "section",
    {},
    board.element,
    h("h3", {}, heading),
    h("p", {}, text),
    toggle ?? h("p", {}, h("b", {}, result)),
  );
}
