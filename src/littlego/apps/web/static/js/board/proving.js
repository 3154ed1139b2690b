// "Prove it here": the visitor's own machine solves the empty board, without the atlas, in a worker of its own.

import { Kernel } from "../kernel.js";
import { Position, editionRules } from "../go/position.js";
import { attempt, button, h, replace } from "../dom.js";
import { number, plural } from "../words.js";
import { Board } from "./board.js";
import { moveName } from "./coordinates.js";

const START = new Position(editionRules());
const SIGNS = { black: "won", white: "lost", tie: "tie" };

/** The proof that was begun; it is kept, paused, while another page is shown. @type {any} */
let proof = null;

/**
 * A card with the proof.
 * @returns {{ element: HTMLElement, stop: () => void }} `stop` pauses it
 */
export function proving() {
  const board = new Board({ size: 5, label: "What is proven", coordinates: false });
  const says = h("p", { class: "outcome", role: "status" });
  const numbers = h("p", { class: "numbers soft" });
  const bar = h("progress", { max: 1, "aria-label": "The proof" });
  const list = h("ul", { class: "proven" });
  const start = button("Prove it here", "", () => attempt(begin));
  const hold = button("Pause", "quiet", () => pause(!proof.held));
  const cancel = button("Cancel", "quiet", () => end());
  const columns = h("div", { class: "columns small-board" }, [
    board.element,
    h("div", { class: "stack" }, [says, bar, numbers, list]),
  ]);
  const shown = h("div", {});
  const element = h("section", { class: "card stack proof" }, [
    h("h2", {}, "Do not take our word for it"),
    h(
      "p",
      {},
      "Your machine can prove it now, from nothing but the rules: it searches the whole game without looking into the table of known openings. That takes about a minute on a laptop, a few on a phone, and up to 300 MB of memory.",
    ),
    shown,
    h("p", { class: "row" }, [start, hold, cancel]),
  ]);
  if (proof) proof.draw = draw;
  draw();
  return { element, stop: () => proof && !proof.done && pause(true) };

  async function begin() {
    const kernel = new Kernel();
    const mine = { kernel, told: null, held: false, done: false, draw };
    const take = (told) => {
      mine.told = told;
      mine.draw();
    };
    proof = mine;
    const { done, hold } = kernel.prove(START, { take });
    Object.assign(mine, { hold });
    draw();
    try {
      const told = await done;
      mine.done = true;
      take(told);
    } catch (error) {
      if (proof !== mine) return; // cancelled
      proof = null;
      mine.draw();
      throw error;
    } finally {
      kernel.end();
    }
  }

  function pause(on) {
    proof.held = on;
    proof.hold(on);
    draw();
  }

  function end() {
    const { kernel } = proof;
    proof = null;
    kernel.end();
    draw();
    start.focus();
  }

  function draw() {
    const { told, held, done } = proof ?? {};
    if (Boolean(proof) !== shown.hasChildNodes()) replace(shown, proof && columns);
    start.classList.toggle("hidden", Boolean(proof) && !done);
    hold.classList.toggle("hidden", !proof || done);
    cancel.classList.toggle("hidden", !proof || done);
    replace(start, done ? "Prove it again" : "Prove it here");
    replace(hold, held ? "Continue" : "Pause");
    if (!told) {
      board.show({ cells: START.cells });
      replace(list);
      replace(numbers);
      bar.removeAttribute("value");
      replace(says, proof && (held ? "Paused." : "Starting…"));
      return;
    }
    const marks = {};
    for (const { images, winner } of told.openings)
      for (const move of images) marks[move] = winner ? SIGNS[winner] : "open";
    board.show({ cells: START.cells, marks });
    bar.value = told.share;
    replace(numbers, work(told, done));
    const known = told.openings.filter(({ winner }) => winner).length;
    const sentence = done
      ? told.value === "black"
        ? "Black wins, and you have just proved it."
        : "The proof came to another end than ours: please tell us."
      : `${held ? "Paused. " : ""}${known} of ${told.openings.length} openings are proven; the centre takes the longest.`;
    if (says.textContent !== sentence) replace(says, sentence); // is spoken once
    replace(
      list,
      told.openings.map(({ move, images, winner }) =>
        h("li", {}, [
          h("b", {}, moveName(move, 5)),
          images.length > 1 && h("span", { class: "soft" }, ` and ${images.length - 1} like it`),
          winner === null
            ? h("span", { class: "soft" }, " …")
            : h(
                "span",
                { class: winner === "black" ? "good" : "bad" },
                ` ${winner === "black" ? "✓ Black" : "✗ White"} wins`,
              ),
        ]),
      ),
    );
  }
}

/** Positions, their rate and the time left. @param {import("../kernel/proof.js").Told} told */
function work({ nodes, seconds, share }, done) {
  const rate = nodes / Math.max(seconds, 0.001);
  const left = share > 0.01 ? seconds * (1 / share - 1) : null;
  return [
    `${number(nodes)} positions`,
    `${number(rate / 1e6, 1)} million a second`,
    done ? `${spent(seconds)} in all` : left === null ? null : `about ${spent(left)} left`,
  ]
    .filter(Boolean)
    .join(" · ");
}

const spent = (seconds) =>
  seconds < 90
    ? plural(Math.ceil(seconds), "{n} second", "{n} seconds")
    : plural(Math.ceil(seconds / 60), "{n} minute", "{n} minutes");
