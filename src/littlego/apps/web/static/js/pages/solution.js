// The solution: the solved game as a tree to walk in. Every move with its proven value.

import { listen, post } from "../api.js";
import { Board } from "../board.js";
import { capital, h, replace, toast } from "../dom.js";

export const title = "The solution";

export async function show(main, rest, { go }) {
  let moves = rest[0] ? decodeURIComponent(rest[0]).split("_") : [];
  let line = null;
  let answer = null;
  let forget = null;
  const board = new Board({
    size: 5,
    label: "The position",
    onplay: (move, why) => (why ? toast(`${move}: ${why}.`, "error") : walk([...moves, move])),
  });
  const says = h("p", { class: "says", role: "status", "aria-live": "polite" });
  const path = h("nav", { class: "path", "aria-label": "Moves so far" });
  const table = h("div", { class: "answers" });
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
          h("button", { class: "quiet", onclick: playOn }, "Play from here"),
        ),
      ),
    ),
  );
  document.addEventListener("keydown", keys);
  await load();

  function walk(next) {
    moves = next;
    history.pushState({}, "", `/solution${moves.length ? `/${moves.join("_")}` : ""}`);
    load();
  }

  async function load() {
    forget?.();
    forget = null;
    answer = null;
    const asked = moves.join();
    try {
      line = await post("/api/positions", { moves });
      draw();
      if (line.plies_left && !over()) {
        take(await post("/api/values", { moves }), asked);
        if (answer?.missing.length && asked === moves.join())
          forget = listen(
            `values:${answer.key}`,
            (news) => take(news, asked),
            async () => take(await post("/api/values", { moves }), asked),
          );
      }
    } catch (error) {
      toast(capital(error.message), "error");
      if (moves.length) walk([]);
    }
  }

  function over() {
    return moves.slice(-2).join() === "PASS,PASS";
  }

  function take(told, asked) {
    if (asked !== moves.join()) return;
    answer = told;
    draw();
  }

  function draw() {
    const marks = {};
    for (const [move, value] of Object.entries(answer?.values ?? {})) marks[move] = sign(value);
    for (const move of answer?.missing ?? []) marks[move] = "open";
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
    const winning = Object.entries(answer?.values ?? {})
      .filter(([, value]) => sign(value) === "won")
      .map(([move]) => move);
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

  function sign(value) {
    return value === line.to_move ? "won" : value === null ? "tie" : "lost";
  }

  function sentence() {
    const who = `${capital(line.to_move)} to move, ${line.plies_left} moves left. `;
    if (over() || !line.plies_left) return `The end: ${line.score.black} to ${line.score.white}.`;
    if (!answer) return `${who}…`;
    if (answer.value === "unknown")
      return `${who}Not all moves are settled yet: ${answer.missing.length} are being worked out.`;
    const winner = answer.value === null ? "it is a tie" : `${capital(answer.value)} wins`;
    return `${who}With best play ${winner}.${answer.missing.length ? ` ${answer.missing.length} moves are still being worked out.` : ""}`;
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
    if ((event.key === "u" || event.key === "Backspace") && moves.length) {
      walk(moves.slice(0, -1));
      event.preventDefault();
    }
  }

  return () => {
    forget?.();
    document.removeEventListener("keydown", keys);
  };
}
