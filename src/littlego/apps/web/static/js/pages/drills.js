// Puzzles and drills: won positions. Find the move that keeps the win.

import { Board } from "../board/board.js";
import { attempt, button, capital, confirmed, firstOf, h, labelled, onKeys, onSubmit, replace, toast } from "../dom.js";
import { moveName } from "../language/coordinates.js";
import { Colour, halves, t, tn, ts, tx } from "../language/language.js";
import { solvedOn, streak } from "../results/streak.js";
import { follow, get, post, remove } from "../server/api.js";

export const title = t("Puzzles");

const SHIPPED = "fifty";
const DIFFICULTIES = { easy: t("Easy"), medium: t("Medium"), hard: t("Hard") };

export async function show(main, [id], { go }) {
  return id ? showDeck(main, id, go) : showDecks(main, go);
}

async function showDecks(main, go) {
  const stops = [];
  const list = h("div", { class: "stack" });
  const progress = h("progress", { class: "hidden", "aria-label": t("Making a deck") });
  const waiting = h("p", { class: "soft", role: "status" });
  const name = localStorage.getItem("name") || t("You");
  const player = h("input", { name: "player", value: name, maxlength: 60, required: true });
  const file = h("input", {
    type: "file",
    accept: ".json",
    "aria-label": t("Deck file"),
    onchange: () =>
      attempt(async () => {
        if (!file.files[0]) return;
        const deck = await post("/api/decks/import", { text: await file.files[0].text() });
        go(`/drills/${deck.id}`);
      }),
  });
  const days = streak();
  await load();
  replace(
    main,
    h("div", { class: "stack narrow" }, [
      h("section", { class: "card stack" }, [
        h("h1", {}, t("Puzzles")),
        h("p", {}, [
          t(
            "You have a won game. One move keeps it, and it is no capture. Every answer is proven. What you miss comes back until you know it.",
          ),
        ]),
        h("p", { class: "row" }, [
          h("a", { class: "button", href: "/drills/today" }, t("The puzzle of the day")),
          h("a", { class: "button quiet", href: `/drills/${SHIPPED}` }, t("Fifty puzzles")),
          days > 0 && h("b", {}, tn(days, "{n} day in a row", "{n} days in a row")),
        ]),
      ]),
      list,
      h("section", { class: "card stack" }, [
        h("h2", {}, t("From games on this server")),
        h("p", {}, [
          t(
            "Positions where you, or your agent, had a won game and threw it away. In a review, Drill this keeps a single one.",
          ),
        ]),
        h("form", { class: "stack", onsubmit: onSubmit(make) }, [
          labelled(t("Whose mistakes in the games on this server"), player),
          h("div", { class: "row" }, [
            h("button", {}, t("Create a deck")),
            labelled(tx("or open a file from {command}", { command: h("code", {}, "littlego drill make") }), file),
          ]),
        ]),
        progress,
        waiting,
      ]),
    ]),
  );

  async function load() {
    const decks = await get("/api/decks");
    replace(list, decks.map(deckCard));
  }

  function deckCard(deck) {
    return h("article", { class: "card" }, [
      h("h2", {}, h("a", { href: `/drills/${deck.id}` }, ts(deck.name) || t("Deck"))),
      h(
        "p",
        {},
        tn(
          deck.drills,
          "{n} position, {solved} solved, {tried} tried",
          "{n} positions, {solved} solved, {tried} tried",
          deck,
        ),
      ),
      h("progress", {
        max: deck.drills,
        value: deck.solved,
        "aria-label": t("Solved of {name}", { name: ts(deck.name) }),
      }),
      h("p", { class: "row" }, [
        h("a", { href: `/api/decks/${deck.id}.json`, download: "" }, "deck.json"),
        h("a", { href: `/api/decks/${deck.id}.zip`, download: "" }, t("input.txt files")),
        deck.id !== SHIPPED &&
          button(t("Delete"), "quiet small", async () => {
            if (!(await confirmed(t("Delete {name}?", { name: ts(deck.name) }), t("Delete")))) return;
            await remove(`/api/decks/${deck.id}`);
            await load();
          }),
      ]),
    ]);
  }

  async function make() {
    const job = await post("/api/decks", { player: player.value.trim() });
    let arrived = false;
    progress.classList.remove("hidden");
    stops.push(follow(job, take));

    function take(update) {
      if (arrived) return;
      const failed = update.state === "failed";
      const steps = update.total ? `: ${t("{done} of {all} steps", { done: update.done, all: update.total })}` : "";
      if (update.total) Object.assign(progress, { max: update.total, value: update.done });
      progress.classList.toggle("hidden", failed);
      replace(waiting, failed ? "" : `${capital(ts(update.message) || t("waiting for its turn"))}${steps}…`);
      if (failed) toast(capital(ts(update.message)), "error");
      if (update.state !== "done") return;
      arrived = true;
      const { deck, left_out } = update.result;
      if (left_out)
        toast(
          tn(
            left_out,
            "{n} mistake left out: too early in a game to know every right answer.",
            "{n} mistakes left out: too early in a game to know every right answer.",
          ),
        );
      go(`/drills/${deck}`);
    }
  }

  return () => stops.forEach((stop) => stop());
}

async function showDeck(main, id, go) {
  const isToday = id === "today";
  let drill = null;
  let answer = null;
  const says = h("div", { class: "says", role: "status", "aria-live": "polite" });
  const tally = h("p", { class: "soft" });
  const bar = h("progress", { "aria-label": t("Solved") });
  const next = button([t("Next"), " ", h("kbd", {}, "n")], null, () =>
    isToday ? go(`/drills/${SHIPPED}`) : nextOne(),
  );
  const pass = button(t("Pass"), "quiet", () => tryMove("PASS", null));
  const analyse = button(t("Look closer"), "quiet", () => go(`/solution/${drill.moves.join("_")}`));
  const holder = h("div", { class: "board-side" });
  let board = null;
  await load();
  replace(
    main,
    h("div", { class: "columns puzzle" }, [
      holder,
      h("div", { class: "card stack" }, [
        h("h1", {}, isToday ? t("The puzzle of the day") : t("Keep the win")),
        says,
        h("div", { class: "row answered" }, next, pass, analyse),
        bar,
        tally,
        h("p", {}, h("a", { href: "/drills" }, t("All puzzles"))),
      ]),
    ]),
  );
  focusBoard();
  const stopKeys = onKeys((key) => key === "n" && answer && (() => next.click()));

  async function load() {
    drill = isToday ? await get("/api/decks/today") : await get(`/api/decks/${id}/next`);
    answer = null;
    if (!board || board.size !== drill.rules.size) {
      board = new Board({ size: drill.rules.size, label: t("The drill"), onplay: (move, why) => tryMove(move, why) });
      replace(holder, board.element);
    }
    draw();
  }

  async function nextOne() {
    await load();
    focusBoard();
  }

  function focusBoard() {
    board.element.focus({ preventScroll: true });
  }

  function draw() {
    const marks = {};
    for (const move of answer?.accepted ?? []) marks[move] = "won";
    if (answer && !answer.right) marks[answer.move] = "wrong";
    board.showGame(drill, { turn: answer ? null : drill.to_move, marks });
    next.disabled = !answer;
    pass.classList.toggle("hidden", Boolean(answer) || !drill.legal.includes("PASS"));
    analyse.classList.toggle("hidden", !answer || !isOfTheSolvedGame());
    const score = answer ?? drill;
    Object.assign(bar, { max: score.drills, value: score.solved });
    const days = isToday ? streak(drill.date) : 0;
    replace(tally, [
      drill.difficulty && `${DIFFICULTIES[drill.difficulty]}. `,
      isToday
        ? days > 0 && `${tn(days, "{n} day in a row", "{n} days in a row")}.`
        : t("{solved} of {drills} solved, {tried} tried.", score),
    ]);
    replace(says, h("p", {}, answer ? judged() : asked()));
  }

  function asked() {
    return [
      h("b", {}, t("{colour} to move and win.", { colour: Colour(drill.to_move) })),
      " ",
      tn(drill.plies_left, "{n} move left, komi {komi}.", "{n} moves left, komi {komi}.", {
        komi: halves(drill.rules.komi),
      }),
      drill.difficulty && ` ${t("One move wins; it captures nothing.")}`,
    ];
  }

  function judged() {
    const others = answer.accepted.filter((move) => move !== answer.move);
    const also = tn(others.length, "{n} other move also wins.", "{n} other moves also win.");
    const right = firstOf(answer.accepted.map(name), 8);
    return [
      h("b", { class: answer.right ? "good" : "bad" }, answer.right ? t("Right.") : t("That gives the win away.")),
      " ",
      answer.right
        ? others.length
          ? also
          : t("It was the only move.")
        : tn(answer.accepted.length, "{moves} keeps it.", "{moves} keep it.", { moves: right }),
      answer.played && answer.played !== answer.move
        ? ` ${t("In the game {move} was played.", { move: name(answer.played) })}`
        : "",
    ];
  }

  function name(move) {
    return moveName(move, drill.rules.size);
  }

  async function tryMove(move, why) {
    if (answer) return;
    if (why) return toast(`${name(move)}: ${ts(why)}.`, "error");
    await attempt(async () => {
      answer = { move, ...(await post(`/api/decks/${drill.deck}/answers`, { drill: drill.id, move })) };
      if (isToday && answer.right) solvedOn(drill.date);
      draw();
      next.focus({ preventScroll: true });
    });
  }

  // Whether the position is one of the game that The solution walks through.
  function isOfTheSolvedGame() {
    const { edition, size, komi, max_moves } = drill.rules;
    return drill.start_move === 0 && edition !== "2019" && `${size} ${komi} ${max_moves}` === "5 2.5 24";
  }

  return stopKeys;
}
