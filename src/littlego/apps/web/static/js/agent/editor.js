// A plain editor: a text area with its line numbers beside it. Tab indents, Escape and then Tab leaves.

import { h, replace } from "../dom.js";

/**
 * @param {{ label: string, onchange: (text: string) => void }} options
 */
export function editor({ label, onchange }) {
  const numbers = h("pre", { class: "numbers", "aria-hidden": "true" });
  const area = /** @type {HTMLTextAreaElement} */ (
    h("textarea", {
      "aria-label": label,
      "aria-describedby": "editor-keys",
      rows: 16,
      wrap: "off",
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      oninput: () => {
        count();
        onchange(area.value);
      },
      onscroll: () => (numbers.scrollTop = area.scrollTop),
      onkeydown: key,
    })
  );
  let leaving = false;

  function count() {
    const lines = area.value.split("\n").length;
    if (numbers.childNodes.length && Number(numbers.dataset.lines) === lines) return;
    numbers.dataset.lines = String(lines);
    replace(numbers, Array.from({ length: lines }, (_, k) => k + 1).join("\n"));
  }

  function key(event) {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key === "Escape") leaving = true;
    else if (event.key === "Tab" && isPlain && !event.shiftKey && !leaving) {
      event.preventDefault();
      area.setRangeText("    ", area.selectionStart, area.selectionEnd, "end");
      area.dispatchEvent(new Event("input"));
    } else if (event.key !== "Shift") leaving = false;
  }

  return {
    element: h("div", { class: "editor" }, numbers, area),
    show(text, name) {
      area.value = text;
      area.setAttribute("aria-label", `${label}: ${name}`);
      area.scrollTop = 0;
      count();
    },
    // Put the cursor on a line, from 1.
    go(line) {
      const start =
        area.value
          .split("\n")
          .slice(0, line - 1)
          .join("\n").length + (line > 1 ? 1 : 0);
      const end = area.value.indexOf("\n", start);
      area.focus();
      area.setSelectionRange(start, end < 0 ? area.value.length : end);
      area.scrollTop = Math.max(0, (line - 5) * (area.scrollHeight / area.value.split("\n").length));
    },
  };
}
