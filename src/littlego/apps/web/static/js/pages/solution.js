// The solution: the solved game as a tree to walk through, with the proven value of every move.

import { post } from "../api.js";
import { Board, opponent } from "../board.js";
import { button, capital, h, onKeys, plural, replace, showError, toast } from "../dom.js";
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
  const back = button(["Back ", h("kbd", {}, "u")], "quiet", () => moves.length && walk(moves.slice(0, -1)));
  const pass = button("Pass", "quiet", () => walk([...moves, "PASS"]));
  const onward = button("Play from here", "quiet", playOn);
  pass.disabled = onward.disabled = true; // until the position is there
  replace(
    main,
    h("div", { class: "columns" }, [
      h("div", { class: "board-side" }, board.element),
      h("div", { class: "card stack" }, [
        h("h1", {}, "The solved game"),
        h("p", {}, [
          "With best play Black wins Little-Go by exactly three stones, but only by opening in the centre. Every other first move loses. Walk through the game: ",
          h("span", { class: "good" }, "✓ wins"),
          " for the side to move, ",
          h("span", { class: "bad" }, "✗ loses"),
          ", ",
          h("span", { class: "soft" }, "● is not known yet"),
          ".",
        ]),
        path,
        says,
        table,
        h("p", { class: "row no-print" }, back, pass, onward),
      ]),
    ]),
  );
  try {
    await load();
  } catch (error) {
    if (error.status !== 422 || !moves.length) throw error;
    showError(error); // the address has moves that cannot be played
    moves = [];
    history.replaceState({}, "", "/solution");
    await load();
  }
  const stopKeys = onKeys((key) => {
    if (key === "u" || key === "Backspace") return moves.length && (() => back.click());
    return key === "p" && !pass.disabled && (() => pass.click());
  });
  addEventListener("back", follow);

  // Goes to the position after `next`; stays at the one that is shown if that fails.
  async function walk(next) {
    moves = next;
    try {
      if (await load()) history.pushState({}, "", `/solution${moves.length ? `/${moves.join("_")}` : ""}`);
    } catch (error) {
      if (left || next !== moves) return;
      moves = line.moves;
      showError(error);
    }
  }

  // Shows the position after `moves`; false if another was asked for meanwhile.
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
    stop = over() ? null : followValues({ moves: line.moves }, take, showError);
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
    pass.disabled = onward.disabled = over();
    showPass(pass, marks.PASS);
    board.showGame(line, { turn: over() ? null : line.to_move, marks });
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
        h("p", {}, ["Winning: ", winning.map((move) => button(move, "quiet small", () => walk([...moves, move])))]),
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
    const { to_move } = line;
    const game = await post("/api/games", { moves, [to_move]: "human", [opponent(to_move)]: "perfect" });
    go(`/play/${game.id}`);
  }

  return () => {
    left = true;
    stop?.();
    stopKeys();
    removeEventListener("back", follow);
  };
}
