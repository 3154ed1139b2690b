// Drills: positions in which a won game was thrown away. Find the move that keeps it.

import { follow, get, post, remove } from "../api.js";
import { Board } from "../board.js";
import { capital, firstOf, h, plural, replace, toast } from "../dom.js";

export const title = "Drills";

export async function show(main, [id], { go }) {
  return id ? showDeck(main, id) : showDecks(main, go);
}

async function showDecks(main, go) {
  const stops = [];
  const list = h("div", { class: "stack" });
  const progress = h("progress", { class: "hidden", "aria-label": "Making a deck" });
  const waiting = h("p", { class: "soft", role: "status" });
  const player = h("input", { name: "player", value: "You", maxlength: 60, required: true });
  const file = h("input", {
    type: "file",
    accept: ".json",
    "aria-label": "A deck's file",
    onchange: async () => {
      if (file.files[0])
        act(async () => {
          const deck = await post("/api/decks/import", { text: await file.files[0].text() });
          go(`/drills/${deck.id}`);
        });
    },
  });
  replace(
    main,
    h(
      "div",
      { class: "stack narrow" },
      h(
        "section",
        { class: "card stack" },
        h("h1", {}, "Drills"),
        h(
          "p",
          {},
          "Positions where you, or your agent, had the game won and threw it away. Each comes back until you have it. Every move that keeps the win is accepted.",
        ),
        h(
          "form",
          { class: "stack", onsubmit: make },
          h("label", {}, h("span", {}, "Whose mistakes, from the games on this server"), player),
          h(
            "div",
            { class: "row" },
            h("button", {}, "Make a deck"),
            h("label", {}, h("span", {}, "or open one that ", h("code", {}, "littlego drill make"), " wrote"), file),
          ),
        ),
        progress,
        waiting,
      ),
      list,
    ),
  );
  await load();

  async function act(action) {
    try {
      await action();
    } catch (error) {
      toast(capital(error.message), "error");
    }
  }

  async function load() {
    const decks = await get("/api/decks");
    replace(
      list,
      decks.length
        ? decks.map((deck) =>
            h(
              "article",
              { class: "card" },
              h("h2", {}, h("a", { href: `/drills/${deck.id}` }, deck.name || "A deck")),
              h("p", {}, `${plural(deck.drills, "position")}, ${deck.tried} tried, ${deck.solved} solved.`),
              h("progress", { max: deck.drills, value: deck.solved, "aria-label": "Solved" }),
              h(
                "p",
                { class: "row" },
                h("a", { class: "button", href: `/drills/${deck.id}` }, "Drill"),
                h("a", { href: `/api/decks/${deck.id}.json`, download: "" }, "deck for littlego check --deck"),
                h("a", { href: `/api/decks/${deck.id}.zip`, download: "" }, "input.txt files"),
                h(
                  "button",
                  {
                    class: "quiet",
                    onclick: () =>
                      confirm("Delete this deck?") &&
                      act(async () => {
                        await remove(`/api/decks/${deck.id}`);
                        await load();
                      }),
                  },
                  "Delete",
                ),
              ),
            ),
          )
        : h("p", { class: "soft" }, "No decks yet. Play a few games first, or let your agent play."),
    );
  }

  function make(event) {
    event.preventDefault();
    act(async () => {
      const job = await post("/api/decks", { player: player.value.trim() });
      progress.classList.remove("hidden");
      let arrived = false;
      const take = (update) => {
        if (arrived) return;
        if (update.total) Object.assign(progress, { max: update.total, value: update.done });
        const steps = update.total ? `: ${update.done} of ${update.total} steps` : "";
        replace(
          waiting,
          update.state === "failed" ? "" : `${capital(update.message || "waiting for its turn")}${steps}…`,
        );
        if (update.state === "done") {
          arrived = true;
          const { deck, left_out } = update.result;
          if (left_out)
            toast(`${capital(plural(left_out, "mistake"))} left out: too early in a game to know every right answer.`);
          go(`/drills/${deck}`);
        }
        if (update.state === "failed") {
          progress.classList.add("hidden");
          toast(capital(update.message), "error");
        }
      };
      stops.push(follow(job, take));
    });
  }

  return () => stops.forEach((stop) => stop());
}

async function showDeck(main, id) {
  let drill = null;
  let answer = null;
  const says = h("div", { class: "says", role: "status", "aria-live": "polite" });
  const tally = h("p", {});
  const bar = h("progress", { "aria-label": "Solved" });
  const next = h("button", { onclick: goOn }, "Next ", h("kbd", {}, "n"));
  const holder = h("div", { class: "board-side" });
  let board = null;
  replace(
    main,
    h(
      "div",
      { class: "columns" },
      holder,
      h(
        "div",
        { class: "card stack" },
        h("h1", {}, "Keep the win"),
        says,
        h("div", { class: "row" }, next),
        bar,
        tally,
        h("p", {}, h("a", { href: "/drills" }, "All decks")),
      ),
    ),
  );
  document.addEventListener("keydown", keys);
  await load();

  async function goOn() {
    try {
      await load();
    } catch (error) {
      toast(capital(error.message), "error");
    }
  }

  async function load() {
    drill = await get(`/api/decks/${id}/next`);
    answer = null;
    if (!board || board.size !== drill.rules.size) {
      board = new Board({ size: drill.rules.size, label: "The drill", onplay: (move, why) => attempt(move, why) });
      replace(holder, board.element);
    }
    draw();
    board.element.focus({ preventScroll: true });
  }

  function draw() {
    const marks = {};
    for (const move of answer?.accepted ?? []) marks[move] = "won";
    if (answer && !answer.right) marks[answer.move] = "wrong";
    board.show({
      cells: drill.boards.at(-1),
      last: drill.moves.at(-1) ?? null,
      ko: drill.kos.at(-1),
      turn: answer ? null : drill.to_move,
      illegal: drill.illegal,
      marks,
    });
    next.disabled = !answer;
    const score = answer ?? drill;
    Object.assign(bar, { max: score.drills, value: score.solved });
    replace(tally, `${score.solved} of ${score.drills} solved, ${score.tried} tried.`);
    if (!answer)
      replace(
        says,
        h(
          "p",
          {},
          h("b", {}, `${capital(drill.to_move)} to move and win. `),
          `${plural(drill.plies_left, "move")} left, komi ${drill.rules.komi}. `,
          drill.legal.includes("PASS") &&
            h("button", { class: "quiet small", onclick: () => attempt("PASS", null) }, "Pass"),
        ),
      );
    else {
      const others = answer.accepted.filter((move) => move !== answer.move);
      replace(
        says,
        h(
          "p",
          {},
          h("b", { class: answer.right ? "good" : "bad" }, answer.right ? "Right. " : "That gives the win away. "),
          answer.right
            ? others.length
              ? `${others.length} other ${others.length === 1 ? "move wins" : "moves win"}, too.`
              : "It was the only move."
            : `${firstOf(answer.accepted, 8)} ${answer.accepted.length === 1 ? "keeps" : "keep"} it.`,
          answer.played && answer.played !== answer.move ? ` In the game ${answer.played} was played.` : "",
        ),
      );
    }
  }

  async function attempt(move, why) {
    if (answer) return;
    if (why) return toast(`${move}: ${why}.`, "error");
    try {
      answer = { move, ...(await post(`/api/decks/${id}/answers`, { drill: drill.id, move })) };
      draw();
      next.focus({ preventScroll: true });
    } catch (error) {
      toast(capital(error.message), "error");
    }
  }

  function keys(event) {
    if (event.key === "n" && answer && !event.target.closest("input, textarea")) goOn();
  }

  return () => document.removeEventListener("keydown", keys);
}
