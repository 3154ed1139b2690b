// How the boards look and sound, in a dialog that every page can open. The choices stay in this browser.

import { button, h, labelled, select } from "./dom.js";
import { stoneSound } from "./sound.js";

const BOARDS = [
  ["wood", "wood"],
  ["slate", "slate"],
  ["paper", "paper"],
];

export function showSettings() {
  const close = button("Done", null, () => dialog.close());
  const board = select({ onchange: () => chooseBoard(board.value) }, BOARDS, localStorage.getItem("board") ?? "wood");
  const sound = select(
    { onchange: () => chooseSound(sound.value) },
    [
      ["off", "off"],
      ["on", "on"],
    ],
    localStorage.getItem("sound") ?? "off",
  );
  const dialog = h("dialog", { class: "card", "aria-labelledby": "settings-title" }, [
    h("div", { class: "stack" }, [
      h("h2", { id: "settings-title" }, "Settings"),
      labelled("Boards", board),
      labelled("Sound of the stones", sound),
      close,
    ]),
  ]);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function chooseBoard(name) {
  localStorage.setItem("board", name);
  document.documentElement.dataset.board = name;
}

function chooseSound(value) {
  localStorage.setItem("sound", value);
  stoneSound();
}
