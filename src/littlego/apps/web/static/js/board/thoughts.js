// What a learner thinks of every move, on a board to play on.

import { attempt, button, h, replace, s } from "../dom.js";
import { moveName } from "./coordinates.js";
import { Colour } from "../words.js";
import { Position, describe, editionRules } from "../go/position.js";
import { post } from "../server/api.js";
import { Board } from "./board.js";

export function thinking() {
  let moves = [];
  let model = "";
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
    h("div", { class: "columns" }, [
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
    const line = describe(new Position(editionRules()), next);
    moves = next;
    board.showGame(line, { turn: line.outcome ? null : line.to_move });
    replace(overlay);
    if (line.outcome) return replace(says, "The end.");
    const { to_move, values } = await post("/api/learn/values", { moves, model });
    if (moves !== next) return;
    for (const [move, value] of Object.entries(values)) {
      const point = board.point(move);
      if (point === null) continue;
      const [cx, cy] = board.at(point);
      overlay.append(
        s("circle", { cx, cy, r: 30, class: "thought", "fill-opacity": (0.1 + 0.85 * value).toFixed(2) }),
        s("text", { x: cx, y: cy }, Math.round(100 * value)),
      );
    }
    const best = Object.keys(values).reduce((one, other) => (values[other] > values[one] ? other : one));
    const chosen = { colour: Colour(to_move), best: moveName(best, 5), percent: Math.round(100 * values[best]) };
    return replace(says, [
      model
        ? `${chosen.colour} to move. The numbers are the chances of winning with each move, as percentages, in the view of the learner that you trained. It would play ${chosen.best} (${chosen.percent}%).`
        : `${chosen.colour} to move. The numbers are the chances of winning with each move, as percentages, in the view of the learner that ships with Little-Go. It would play ${chosen.best} (${chosen.percent}%).`,
    ]);
  }

  return {
    element,
    use: (name) => {
      if (name === model) return;
      model = name;
      attempt(() => load(moves));
    },
  };
}
