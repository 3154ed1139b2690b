// How the pages look and sound, in a dialog that every page can open. The choices stay in this browser.

import { stoneSound } from "./board/sound.js";
import { button, h, labelled, select } from "./dom.js";
import { system, SYSTEMS } from "./board/coordinates.js";

const BOARDS = [
  ["wood", "wood"],
  ["slate", "slate"],
  ["paper", "paper"],
];
const SOUNDS = [
  ["off", "off"],
  ["on", "on"],
];

export function showSettings() {
  const close = button("Done", null, () => dialog.close());
  const board = select({ onchange: () => chooseBoard(board.value) }, BOARDS, localStorage.getItem("board") ?? "wood");
  const sound = select({ onchange: () => chooseSound(sound.value) }, SOUNDS, localStorage.getItem("sound") ?? "off");
  const names = select({ onchange: () => chooseAndReload("coordinates", names.value) }, SYSTEMS, system());
  const dialog = h("dialog", { class: "card", "aria-labelledby": "settings-title" }, [
    h("div", { class: "stack" }, [
      h("h2", { id: "settings-title" }, "Settings"),
      labelled("Boards", board),
      labelled("Stone sounds", sound),
      labelled("Coordinates", names),
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

// A choice that changes every word of a page: it is loaded again. Games and jobs go on, since the server has them.
function chooseAndReload(name, value) {
  localStorage.setItem(name, value);
  location.reload();
}
