// Drills: positions in which a won game was thrown away. Find the move that keeps the win.

import { follow, get, post, remove } from "../api.js";
import { Board } from "../board.js";
import { attempt, button, capital, firstOf, h, labelled, onKeys, onSubmit, plural, replace, toast } from "../dom.js";

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
    "aria-label": "Deck file",
    onchange: () =>
      attempt(async () => {
        if (!file.files[0]) return;
        const deck = await post("/api/decks/import", { text: await file.files[0].text() });
        go(`/drills/${deck.id}`);
      }),
  });
  replace(
    main,
    h("div", { class: "stack narrow" }, [
      h("section", { class: "card stack" }, [
        h("h1", {}, "Drills"),
        h("p", {}, [
          "Positions where you, or your agent, had a won game and threw it away. Each one comes back until you solve it. Every move that keeps the win counts.",
        ]),
        h("form", { class: "stack", onsubmit: onSubmit(make) }, [
          labelled("Whose mistakes in the games on this server", player),
          h("div", { class: "row" }, [
            h("button", {}, "Create a deck"),
            labelled(["or open a file from ", h("code", {}, "littlego drill make")], file),
          ]),
        ]),
        progress,
        waiting,
      ]),
      list,
    ]),
  );
  await load();

  async function load() {
    const decks = await get("/api/decks");
    replace(
      list,
      decks.length
        ? decks.map((deck) =>
            h("article", { class: "card" }, [
              h("h2", {}, h("a", { href: `/drills/${deck.id}` }, deck.name || "Deck")),
              h("p", {}, `${plural(deck.drills, "position")}, ${deck.tried} tried, ${deck.solved} solved.`),
              h("progress", { max: deck.drills, value: deck.solved, "aria-label": "Solved" }),
              h("p", { class: "row" }, [
                h("a", { class: "button", href: `/drills/${deck.id}` }, "Drill"),
                h("a", { href: `/api/decks/${deck.id}.json`, download: "" }, "Deck for littlego check --deck"),
                h("a", { href: `/api/decks/${deck.id}.zip`, download: "" }, "input.txt files"),
                button("Delete", "quiet", async () => {
                  if (!confirm("Delete this deck?")) return;
                  await remove(`/api/decks/${deck.id}`);
                  await load();
                }),
              ]),
            ]),
          )
        : h("p", { class: "soft" }, "No decks yet. Play a few games first, or let your agent play some."),
    );
  }

  async function make() {
    const job = await post("/api/decks", { player: player.value.trim() });
    let arrived = false;
    progress.classList.remove("hidden");
    stops.push(follow(job, take));

    function take(update) {
      if (arrived) return;
      const failed = update.state === "failed";
      const steps = update.total ? `: ${update.done} of ${update.total} steps` : "";
      if (update.total) Object.assign(progress, { max: update.total, value: update.done });
      progress.classList.toggle("hidden", failed);
      replace(waiting, failed ? "" : `${capital(update.message || "waiting for its turn")}${steps}…`);
      if (failed) toast(capital(update.message), "error");
      if (update.state !== "done") return;
      arrived = true;
      const { deck, left_out } = update.result;
      if (left_out) toast(`${plural(left_out, "mistake")} left out: too early in a game to know every right answer.`);
      go(`/drills/${deck}`);
    }
  }

  return () => stops.forEach((stop) => stop());
}

async function showDeck(main, id) {
  let drill = null;
  let answer = null;
  const says = h("div", { class: "says", role: "status", "aria-live": "polite" });
  const tally = h("p", {});
  const bar = h("progress", { "aria-label": "Solved" });
  const next = button(["Next ", h("kbd", {}, "n")], null, load);
  const holder = h("div", { class: "board-side" });
  let board = null;
  replace(
    main,
    h("div", { class: "columns" }, [
      holder,
      h("div", { class: "card stack" }, [
        h("h1", {}, "Keep the win"),
        says,
        h("div", { class: "row" }, next),
        bar,
        tally,
        h("p", {}, h("a", { href: "/drills" }, "All decks")),
      ]),
    ]),
  );
  await load();
  const stopKeys = onKeys((key) => key === "n" && answer && (() => next.click()));

  async function load() {
    drill = await get(`/api/decks/${id}/next`);
    answer = null;
    if (!board || board.size !== drill.rules.size) {
      board = new Board({ size: drill.rules.size, label: "The drill", onplay: (move, why) => tryMove(move, why) });
      replace(holder, board.element);
    }
    draw();
    board.element.focus({ preventScroll: true });
  }

  function draw() {
    const marks = {};
    for (const move of answer?.accepted ?? []) marks[move] = "won";
    if (answer && !answer.right) marks[answer.move] = "wrong";
    board.showGame(drill, { turn: answer ? null : drill.to_move, marks });
    next.disabled = !answer;
    const score = answer ?? drill;
    Object.assign(bar, { max: score.drills, value: score.solved });
    replace(tally, `${score.solved} of ${score.drills} solved, ${score.tried} tried.`);
    if (!answer)
      replace(
        says,
        h("p", {}, [
          h("b", {}, `${capital(drill.to_move)} to move and win. `),
          `${plural(drill.plies_left, "move")} left, komi ${drill.rules.komi}. `,
          drill.legal.includes("PASS") && button("Pass", "quiet small", () => tryMove("PASS", null)),
        ]),
      );
    else {
      const others = answer.accepted.filter((move) => move !== answer.move);
      replace(
        says,
        h("p", {}, [
          h("b", { class: answer.right ? "good" : "bad" }, answer.right ? "Right. " : "That gives the win away. "),
          answer.right
            ? others.length
              ? `${plural(others.length, "other move")} also ${others.length === 1 ? "wins" : "win"}.`
              : "It was the only move."
            : `${firstOf(answer.accepted, 8)} ${answer.accepted.length === 1 ? "keeps" : "keep"} it.`,
          answer.played && answer.played !== answer.move ? ` In the game ${answer.played} was played.` : "",
        ]),
      );
    }
  }

  async function tryMove(move, why) {
    if (answer) return;
    if (why) return toast(`${move}: ${why}.`, "error");
    await attempt(async () => {
      answer = { move, ...(await post(`/api/decks/${id}/answers`, { drill: drill.id, move })) };
      draw();
      next.focus({ preventScroll: true });
    });
  }

  return stopKeys;
}
