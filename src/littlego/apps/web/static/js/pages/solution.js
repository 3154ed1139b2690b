// The solution: the solved game as a tree to walk in. Every move with its proven value.

import { post } from "../api.js";
import { Board } from "../board.js";
import { capital, h, plural, replace, toast } from "../dom.js";
import { followValues, showPass, signs } from "../values.js";

export const title = "The solution";

export async function show(main, rest, { go }) {
  let moves = rest[0] ? decodeURIComponent(rest[0]).split("_") : [];
  let line = null;
  let answer = null;
  let stop = null;
  let left = false;
  const board = new Board({
    size: 5,
    label: "The position",
    onplay: (move, why) => (why ? toast(`${move}: ${why}.`, "error") : walk([...moves, move])),
  });
  const says = h("p", { class: "says", role: "status", "aria-live": "polite" });
  const path = h("nav", { class: "path", "aria-label": "Moves so far" });
  const table = h("div", { class: "answers" });
  const pass = h("button", { class: "quiet", disabled: true, onclick: () => walk([...moves, "PASS"]) }, "Pass");
  const onward = h("button", { class: "quiet", disabled: true, onclick: playOn }, "Play from here");
  replace(
    main,
    h(
      "div",
      { class: "columns" },
      h("div", { class: "board-side" }, board.element),
      h(
        "div",
        { class: "card stack" },
        h("h1", {}, "The solved game"),
        h(
          "p",
          {},
          "Black wins Little-Go, by exactly three stones against best play, and only by opening in the centre. Every other first move loses. Walk through it: ",
          h("span", { class: "good" }, "✓ wins"),
          " for the side to move, ",
          h("span", { class: "bad" }, "✗ loses"),
          ", ",
          h("span", { class: "soft" }, "● is being worked out"),
          ".",
        ),
        path,
        says,
        table,
        h(
          "p",
          { class: "row no-print" },
          h(
            "button",
            { class: "quiet", onclick: () => moves.length && walk(moves.slice(0, -1)) },
            "Back ",
            h("kbd", {}, "u"),
          ),
          pass,
          onward,
        ),
      ),
    ),
  );
  try {
    await load();
  } catch (error) {
    if (error.status !== 422 || !moves.length) throw error;
    toast(capital(error.message), "error"); // an address with moves that cannot be played
    moves = [];
    history.replaceState({}, "", "/solution");
    await load();
  }
  document.addEventListener("keydown", keys);
  addEventListener("back", follow);

  // Goes to the position after `next`; stays at the one that is shown if that fails.
  async function walk(next) {
    moves = next;
    try {
      if (await load()) history.pushState({}, "", `/solution${moves.length ? `/${moves.join("_")}` : ""}`);
    } catch (error) {
      if (left || next !== moves) return;
      moves = line.moves;
      toast(capital(error.message), "error");
    }
  }

  // Shows the position after `moves`; false if another was wanted meanwhile.
  async function load() {
    const asked = moves;
    const found = await post("/api/positions", { moves });
    if (left || asked !== moves) return false;
    line = found;
    answer = null;
    draw();
    follow();
    return true;
  }

  function follow() {
    stop?.();
    stop = over() ? null : followValues({ moves: line.moves }, take, (error) => toast(capital(error.message), "error"));
  }

  function over() {
    return line.outcome !== null;
  }

  function take(found) {
    answer = found;
    draw();
  }

  function draw() {
    const marks = answer ? signs(answer) : {};
    pass.disabled = over();
    onward.disabled = over();
    showPass(pass, marks.PASS);
    board.show({
      cells: line.boards.at(-1),
      last: line.moves.at(-1),
      ko: line.kos.at(-1),
      turn: over() ? null : line.to_move,
      illegal: line.illegal,
      marks,
    });
    replace(
      path,
      h("a", { href: "/solution" }, "start"),
      moves.map((move, k) => [" › ", h("a", { href: `/solution/${moves.slice(0, k + 1).join("_")}` }, move)]),
    );
    replace(says, sentence());
    const winning = Object.keys(marks).filter((move) => marks[move] === "won");
    replace(
      table,
      winning.length > 0 &&
        h(
          "p",
          {},
          "Winning: ",
          winning.map((move) => h("button", { class: "quiet small", onclick: () => walk([...moves, move]) }, move)),
        ),
    );
  }

  function sentence() {
    if (over()) return `The end: ${line.score.black} to ${line.score.white}.`;
    const last = line.moves.at(-1);
    const played = last ? `${last === "PASS" ? "A pass" : last} was played. ` : "";
    const who = `${played}${capital(line.to_move)} to move, ${plural(line.plies_left, "move")} left. `;
    if (!answer) return `${who}…`;
    const winner = answer.value === "tie" ? "it is a tie" : `${capital(answer.value)} wins`;
    return `${who}${answer.value === "unknown" ? "" : `With best play ${winner}. `}${answer.words}`;
  }

  async function playOn() {
    try {
      const game = await post("/api/games", {
        moves,
        [line.to_move]: "human",
        [line.to_move === "black" ? "white" : "black"]: "perfect",
      });
      go(`/play/${game.id}`);
    } catch (error) {
      toast(capital(error.message), "error");
    }
  }

  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog"))
      return;
    if ((event.key === "u" || event.key === "Backspace") && moves.length) walk(moves.slice(0, -1));
    else if (event.key === "p" && !pass.disabled) walk([...moves, "PASS"]);
    else return;
    event.preventDefault();
  }

  return () => {
    left = true;
    stop?.();
    document.removeEventListener("keydown", keys);
    removeEventListener("back", follow);
  };
}
