// What a learner thinks of every move, on a board to play on, beside what is true.

import { attempt, button, h, replace, s, showError } from "../dom.js";
import { moveName } from "./coordinates.js";
import { Colour } from "../words.js";
import { Position, describe, editionRules } from "../go/position.js";
import { followValues, kernel } from "../thinking.js";
import { Board } from "./board.js";
import { signs } from "./values.js";

const START = new Position(editionRules());
const TRUTH = { won: "✓", lost: "✗", tie: "=", open: "…" };

export function thinking() {
  let moves = [];
  let chances = {};
  let truth = {};
  let over = false;
  /** Whose thoughts: the kernel of a training here, or of the learner that ships. */
  let thinker = kernel;
  let stopFollowing = () => {};
  const board = new Board({
    size: 5,
    label: "What the learner thinks",
    onplay: (move, why) => why || attempt(() => load([...moves, move])),
  });
  const says = h("p", { role: "status" });
  const overlay = s("g", { class: "thoughts" });
  board.element.append(overlay);
  const element = h("section", { class: "card" }, [
    h("h2", {}, "What the learner thinks"),
    h("div", { class: "columns small-board" }, [
      board.element,
      h("div", { class: "stack" }, [
        says,
        h("div", { class: "row" }, [
          button("Back", "quiet", () => load(moves.slice(0, -1))),
          button("Start over", "quiet", () => load([])),
        ]),
      ]),
    ]),
  ]);
  attempt(() => load([]));

  async function load(next) {
    const line = describe(START, next);
    moves = next;
    [chances, truth] = [{}, {}];
    stopFollowing();
    board.showGame(line, { turn: line.outcome ? null : line.to_move });
    over = Boolean(line.outcome);
    draw();
    if (over) return;
    const place = next.reduce((position, move) => position.play(move), START);
    stopFollowing = followValues(
      place,
      {},
      (answer) => {
        truth = signs(answer);
        draw();
      },
      showError,
    );
    await think();
  }

  async function think() {
    const asked = moves;
    const place = asked.reduce((position, move) => position.play(move), START);
    if (place.outcome()) return;
    const found = await thinker.think(place);
    if (moves !== asked) return;
    chances = found;
    draw();
  }

  function draw() {
    replace(overlay);
    const names = Object.keys(chances);
    for (const move of names) {
      const point = board.point(move);
      if (point === null) continue;
      const [cx, cy] = board.at(point);
      const value = chances[move];
      overlay.append(
        s("circle", { cx, cy, r: 36, class: "thought", "fill-opacity": (0.1 + 0.85 * value).toFixed(2) }),
        s("text", { x: cx, y: cy - (truth[move] ? 9 : 0) }, Math.round(100 * value)),
      );
      if (truth[move])
        overlay.append(s("text", { x: cx, y: cy + 17, class: `true ${truth[move]}` }, TRUTH[truth[move]]));
    }
    if (!names.length) return replace(says, over ? "The end." : "Loading what the learner knows…");
    const best = names.reduce((one, other) => (chances[other] > chances[one] ? other : one));
    const mover = Colour(moves.length % 2 ? "white" : "black");
    const whose = thinker === kernel ? "that ships with Little-Go" : "that you trained";
    const so = { won: ", which wins", lost: ", which loses", tie: ", which ties" }[truth[best]] ?? "";
    return replace(
      says,
      `${mover} to move. The numbers are the chances of winning with each move, as percentages, in the view of the learner ${whose}; ✓ and ✗ are the truth. It would play ${moveName(best, 5)} (${Math.round(100 * chances[best])}%)${so}.`,
    );
  }

  return {
    element,
    /** @param {{ kernel: import("../kernel.js").Kernel }} trained */
    use: (trained) => {
      thinker = trained.kernel;
      attempt(think);
    },
    stop: () => stopFollowing(),
  };
}
