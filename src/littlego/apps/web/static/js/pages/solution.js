// The solution: the solved game as a tree to walk through, with the proven value of every move.

import { here, rename } from "../address.js";
import { Analysis } from "../board/analysis.js";
import { proving } from "../board/proving.js";
import { signs } from "../board/values.js";
import { button, h, onKeys, replace, showError } from "../dom.js";

export const title = "The solution";

export async function show(main, rest, { go }) {
  const line = rest[0] ? rest[0].split("_") : [];
  const analysis = new Analysis({ line, label: "The position", values: true, go, ondraw: draw });
  const says = h("p", { class: "says", role: "status", "aria-live": "polite" });
  const path = h("nav", { class: "path", "aria-label": "Moves so far" });
  const table = h("div", { class: "answers" });
  const back = button(["Back", " ", h("kbd", {}, "u")], "quiet", () => analysis.back());
  const proof = proving();
  let begun = false;
  replace(
    main,
    h("div", { class: "columns" }, [
      h("div", { class: "board-side stack" }, analysis.board.element, analysis.legend),
      h("div", { class: "card stack" }, [
        h("h1", {}, "The solved game"),
        h("p", {}, [
          "With best play Black wins Little-Go by exactly three stones, but only by opening in the centre: White gets 2½ points for moving second, so three stones are a win by half a point. Every other first move loses.",
          " ",
          [
            "Walk through the game: ",
            h("span", { class: "good" }, "✓ wins"),
            " for the side to move, ",
            h("span", { class: "bad" }, "✗ loses"),
            ", ",
            h("span", { class: "soft" }, "● is not known yet"),
            ".",
          ],
        ]),
        path,
        says,
        table,
        h("p", { class: "row" }, back, analysis.pass, analysis.toggle),
        analysis.from,
      ]),
    ]),
    proof.element,
  );
  try {
    await analysis.begin();
  } catch (error) {
    if (!line.length) throw error;
    showError(error); // the address has moves that cannot be played
    analysis.line = [];
    rename("/solution");
    await analysis.begin();
  }
  begun = true;
  const stopKeys = onKeys((key) => analysis.actionOf(key));

  function draw() {
    const moves = analysis.line;
    const address = addressOf(moves);
    if (begun && here().path !== address) history.pushState({}, "", `#${address}`);
    back.disabled = !moves.length;
    replace(
      path,
      h("a", { href: "#/solution" }, "empty board"),
      moves.map((move, k) => [" › ", h("a", { href: `#${addressOf(moves.slice(0, k + 1))}` }, analysis.name(move))]),
    );
    replace(says, analysis.sentence());
    const marks = analysis.answer ? signs(analysis.answer) : {};
    const winning = Object.keys(marks).filter((move) => marks[move] === "won");
    replace(
      table,
      winning.length > 0 &&
        h("p", {}, [
          "Winning:",
          " ",
          winning.map((move) => button(analysis.name(move), "quiet small", () => analysis.branch(move))),
        ]),
    );
  }

  return () => {
    analysis.stop();
    proof.stop();
    stopKeys();
  };
}

const addressOf = (moves) => `/solution${moves.length ? `/${moves.join("_")}` : ""}`;
