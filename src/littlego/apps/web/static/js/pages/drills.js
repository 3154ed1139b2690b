// Puzzles and drills: won positions. Find the move that keeps the win.

import { Board } from "../board/board.js";
import { attempt, button, capital, confirmed, firstOf, h, labelled, onKeys, onSubmit, replace, toast } from "../dom.js";
import { moveName } from "../board/coordinates.js";
import { Colour, halves, plural } from "../words.js";
import { keepPlayed, playedOn, solvedOn, streak } from "../results/streak.js";
import { follow, get, post, remove } from "../server/api.js";

export const title = "Puzzles";

const SHIPPED = "fifty";
const DIFFICULTIES = { easy: "Easy", medium: "Medium", hard: "Hard" };

export async function show(main, [id], { go }) {
  return id ? showDeck(main, id, go) : showDecks(main, go);
}

async function showDecks(main, go) {
  const stops = [];
  const list = h("div", { class: "stack" });
  const progress = h("progress", { class: "hidden", "aria-label": "Making a deck" });
  const waiting = h("p", { class: "soft", role: "status" });
  const name = localStorage.getItem("name") || "You";
  const player = h("input", { name: "player", value: name, maxlength: 60, required: true });
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
  const days = streak();
  await load();
  replace(
    main,
    h("div", { class: "stack narrow" }, [
      h("section", { class: "card stack" }, [
        h("h1", {}, "Puzzles"),
        h("p", {}, [
          "You have a won game. Exactly one move keeps the win, and it isn't a capture. Every answer is proven. What you miss comes back until you know it.",
        ]),
        h("p", { class: "row" }, [
          h("a", { class: "button", href: "/drills/today" }, "The puzzle of the day"),
          h("a", { class: "button quiet", href: `/drills/${SHIPPED}` }, "Fifty puzzles"),
          days > 0 && h("b", {}, plural(days, "{n} day in a row", "{n} days in a row")),
        ]),
      ]),
      list,
      h("section", { class: "card stack" }, [
        h("h2", {}, "From games on this server"),
        h("p", {}, [
          "Positions where you, or your agent, had a won game and threw it away. In a review, “Drill this” saves one position.",
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
    ]),
  );

  async function load() {
    const decks = await get("/api/decks");
    replace(list, decks.map(deckCard));
  }

  function deckCard(deck) {
    return h("article", { class: "card" }, [
      h("h2", {}, h("a", { href: `/drills/${deck.id}` }, deck.name || "Deck")),
      h(
        "p",
        {},
        plural(
          deck.drills,
          `{n} position, ${deck.solved} solved, ${deck.tried} tried`,
          `{n} positions, ${deck.solved} solved, ${deck.tried} tried`,
        ),
      ),
      h("progress", {
        max: deck.drills,
        value: deck.solved,
        "aria-label": `Solved of ${deck.name}`,
      }),
      h("p", { class: "row" }, [
        h("a", { href: `/api/decks/${deck.id}.json`, download: "" }, "deck.json"),
        h("a", { href: `/api/decks/${deck.id}.zip`, download: "" }, "input.txt files"),
        deck.id !== SHIPPED &&
          button("Delete", "quiet small", async () => {
            if (!(await confirmed(`Delete ${deck.name}?`, "Delete"))) return;
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
      const steps = update.total ? `: ${update.done} of ${update.total} steps` : "";
      if (update.total) Object.assign(progress, { max: update.total, value: update.done });
      progress.classList.toggle("hidden", failed);
      replace(waiting, failed ? "" : `${capital(update.message || "waiting for its turn")}${steps}…`);
      if (failed) toast(capital(update.message), "error");
      if (update.state !== "done") return;
      arrived = true;
      const { deck, left_out } = update.result;
      if (left_out)
        toast(
          plural(
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
  /** @type {any} */
  let drill = null;
  let answer = null; // to the last move that was tried
  let first = null; // the server's answer to the first one
  const says = h("div", { class: "says", role: "status", "aria-live": "polite" });
  const tally = h("p", { class: "soft" });
  const bar = h("progress", { "aria-label": "Solved" });
  const next = button(["Next", " ", h("kbd", {}, "n")], null, () => (isToday ? go(`/drills/${SHIPPED}`) : nextOne()));
  const pass = button("Pass", "quiet", () => tryMove("PASS", null));
  const give = button("Show me", "quiet", () => settle(null));
  const analyse = button("Look closer", "quiet", () => go(`/solution/${drill.moves.join("_")}`));
  const holder = h("div", { class: "board-side" });
  let board = null;
  await load();
  replace(
    main,
    h("div", { class: "columns puzzle" }, [
      holder,
      h("div", { class: "card stack" }, [
        h("h1", {}, isToday ? "The puzzle of the day" : "Keep the win"),
        says,
        h("div", { class: "row answered" }, next, pass, give, analyse),
        bar,
        tally,
        h("p", {}, h("a", { href: "/drills" }, "All puzzles")),
      ]),
    ]),
  );
  focusBoard();
  const stopKeys = onKeys((key) => key === "n" && isOver() && (() => next.click()));

  async function load() {
    drill = isToday ? await get("/api/decks/today") : await get(`/api/decks/${id}/next`);
    answer = null;
    first = null;
    const kept = isToday ? playedOn(drill.date) : null;
    if (kept) ({ answer, first } = kept);
    if (!board || board.size !== drill.rules.size) {
      board = new Board({ size: drill.rules.size, label: "The drill", onplay: (move, why) => tryMove(move, why) });
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

  // Whether the puzzle is over: solved, or missed twice. After one miss there is a second try.
  function isOver() {
    return Boolean(answer && (answer.right || answer.isLast));
  }

  function draw() {
    const marks = {};
    if (isOver()) for (const move of answer.accepted) marks[move] = "won";
    for (const move of answer?.wrong ?? []) marks[move] = "wrong";
    board.showGame(drill, { turn: isOver() ? null : drill.to_move, marks });
    next.disabled = !isOver();
    pass.classList.toggle("hidden", isOver() || !drill.legal.includes("PASS"));
    give.classList.toggle("hidden", !answer || isOver());
    analyse.classList.toggle("hidden", !isOver() || !isOfTheSolvedGame());
    const score = first ?? drill;
    Object.assign(bar, { max: score.drills, value: score.solved });
    const days = isToday ? streak(drill.date) : 0;
    const stones = (digit) => [...drill.boards.at(-1)].filter((cell) => cell === digit).length;
    replace(tally, [
      drill.difficulty && `${DIFFICULTIES[drill.difficulty]}. `,
      `Black ${stones("1")}, White ${stones("2")} + ${halves(drill.rules.komi)} komi. `,
      isToday
        ? days > 0 && `${plural(days, "{n} day in a row", "{n} days in a row")}.`
        : `${score.solved} of ${score.drills} solved, ${score.tried} tried.`,
    ]);
    replace(says, h("p", {}, answer ? judged() : asked()));
  }

  function asked() {
    return [
      h("b", {}, `${Colour(drill.to_move)} to move and win.`),
      " ",
      plural(
        drill.plies_left,
        `{n} move left, komi ${halves(drill.rules.komi)}.`,
        `{n} moves left, komi ${halves(drill.rules.komi)}.`,
      ),
      drill.difficulty && ` One move wins; it captures nothing.`,
    ];
  }

  function judged() {
    const others = answer.accepted.filter((move) => move !== answer.move);
    if (!isOver()) return [h("b", { class: "bad" }, "That gives the win away."), " Try once more."];
    const verdict = answer.right
      ? others.length
        ? plural(others.length, "{n} other move also wins.", "{n} other moves also win.")
        : "It was the only move."
      : plural(others.length, `${firstOf(others.map(name), 8)} keeps it.`, `${firstOf(others.map(name), 8)} keep it.`);
    return [
      h("b", { class: answer.right ? "good" : "bad" }, answer.right ? "Right." : "That gives the win away."),
      ` ${verdict}`,
      answer.right && answer.wrong.length > 0 && " It took a second try.",
      answer.played && answer.played !== answer.move ? ` In the game ${name(answer.played)} was played.` : "",
    ];
  }

  function name(move) {
    return moveName(move, drill.rules.size);
  }

  // The first try is the server's to judge, and counts; the second is compared with its answer.
  async function tryMove(move, why) {
    if (isOver()) return;
    if (why) return toast(`${name(move)}: ${why}.`, "error");
    await attempt(async () => {
      first ??= await post(`/api/decks/${drill.deck}/answers`, { drill: drill.id, move });
      settle(move);
    });
  }

  function settle(move) {
    const right = first.accepted.includes(move);
    const wrong = [...(answer?.wrong ?? []), ...(right || !move ? [] : [move])];
    answer = { ...first, move, right, wrong, isLast: !move || wrong.length > 1 };
    if (isToday) keepPlayed(drill.date, { answer, first });
    if (isToday && right) solvedOn(drill.date);
    draw();
    if (isOver()) next.focus({ preventScroll: true });
  }

  // Whether the position is one of the game that The solution walks through.
  function isOfTheSolvedGame() {
    const { edition, size, komi, max_moves } = drill.rules;
    return drill.start_move === 0 && edition !== "2019" && `${size} ${komi} ${max_moves}` === "5 2.5 24";
  }

  return stopKeys;
}
