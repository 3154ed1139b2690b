// How the pages call points, in a dialog that every page can open. The choice stays in this browser.

import { button, h, labelled, select } from "./dom.js";
import { system, SYSTEMS } from "./board/coordinates.js";

export function showSettings() {
  const close = button("Done", null, () => dialog.close());
  const names = select({ onchange: () => choose(names.value) }, SYSTEMS, system());
  const dialog = h("dialog", { class: "card", "aria-labelledby": "settings-title" }, [
    h("div", { class: "stack" }, [
      h("h2", { id: "settings-title" }, "Settings"),
      labelled("Coordinates", names),
      close,
    ]),
  ]);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

// It changes every word of a page, which is loaded again.
function choose(name) {
  localStorage.setItem("coordinates", name);
  location.reload();
}
