// Who wins with best play, as a thin bar beside a board: dark for Black, light for White, hatched while nobody knows.

import { h } from "../dom.js";
import { Colour } from "../words.js";

export class ValueBar {
  constructor() {
    this.element = h("span", { class: "value-bar", role: "img" });
    this.show(null);
  }

  // `value` is black, white, tie, or null if it is not known.
  show(value) {
    const text = { tie: "A tie with best play", null: "Not known who wins with best play" }[value];
    this.element.dataset.value = value ?? "unknown";
    this.element.setAttribute("aria-label", text ?? `${Colour(value)} wins with best play`);
    this.element.title = this.element.getAttribute("aria-label");
  }
}

// The values along a game that may still grow: asked for once at a time, and again once there are more boards than values.
export class GameValues {
  #load;
  #asking = false;
  values = [];

  constructor(load) {
    this.#load = load;
  }

  at(ply) {
    return this.values[ply] ?? null;
  }

  async want(boards, changed) {
    if (this.#asking || this.values.length >= boards) return;
    this.#asking = true;
    try {
      this.values = (await this.#load()).values;
      changed();
    } catch {
      // without values the bar stays as it is
    } finally {
      this.#asking = false;
    }
  }
}
