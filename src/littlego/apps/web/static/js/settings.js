// How the pages look, sound and speak, in a dialog that every page can open. The choices stay in this browser.

import { stoneSound } from "./board/sound.js";
import { button, h, labelled, select } from "./dom.js";
import { system, SYSTEMS } from "./language/coordinates.js";
import { language, LANGUAGES, t } from "./language/language.js";

const BOARDS = [
  ["wood", t("wood")],
  ["slate", t("slate")],
  ["paper", t("paper")],
];
const SOUNDS = [
  ["off", t("off")],
  ["on", t("on")],
];

export function showSettings() {
  const close = button(t("Done"), null, () => dialog.close());
  const board = select({ onchange: () => chooseBoard(board.value) }, BOARDS, localStorage.getItem("board") ?? "wood");
  const sound = select({ onchange: () => chooseSound(sound.value) }, SOUNDS, localStorage.getItem("sound") ?? "off");
  const names = select({ onchange: () => chooseAndReload("coordinates", names.value) }, SYSTEMS, system());
  const spoken = select({ onchange: () => chooseAndReload("language", spoken.value) }, LANGUAGES, language);
  const dialog = h("dialog", { class: "card", "aria-labelledby": "settings-title" }, [
    h("div", { class: "stack" }, [
      h("h2", { id: "settings-title" }, t("Settings")),
      labelled(t("Boards"), board),
      labelled(t("Sound of the stones"), sound),
      labelled(t("Points are called"), names),
      labelled(t("Language"), spoken),
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
