// Puzzles and drills: won positions. Find a move that keeps the win.

import { Board } from "../board/board.js";
import { moveName } from "../board/coordinates.js";
import { showLine } from "../board/line.js";
import { PUZZLES } from "../data.js";
import { attempt, button, confirmed, copy, h, onKeys, replace, showError, toast } from "../dom.js";
import { addressOf, drawn, gameAt, makeGame, movesOf, positionAt } from "../go/game.js";
import { resistance } from "../go/puzzle.js";
import { allAnswers, forgetAnswer, keepAnswer } from "../library.js";
import { keepPlayed, playedOn, solvedOn, streak } from "../results/streak.js";
import { describe, opponent } from "../go/position.js";
import { kernel } from "../thinking.js";
import { Colour, halves, plural } from "../words.js";

export const title = "Puzzles";

const SHIPPED = "fifty";
const MINE = "mine";
const DIFFICULTIES = { easy: "Easy", medium: "Medium", hard: "Hard" };
const STRIDE = 37; // has no factor in common with fifty: every puzzle has its day before one comes back
const FIRST_DAY = 719_163; // of 1970, counted from the year 1
const COMES_BACK = 4; // answers after which a missed puzzle is asked again

/** The date of today, in UTC: the puzzle of the day is the same everywhere. */
const today = () => new Date().toISOString().slice(0, 10);
const isDate = (id) => /^\d{4}-\d\d-\d\d$/.test(id) && Number.isFinite(Date.parse(id));

/** The puzzle of a day. @param {string} date */
const puzzleOf = (date) => PUZZLES[((FIRST_DAY + Date.parse(date) / 86_400_000) * STRIDE) % PUZZLES.length];

/** A puzzle as a game up to its position, and what keeps the win. */
const shipped = (puzzle) => ({
  id: `${SHIPPED}:${puzzle.moves}`,
  deck: SHIPPED,
  game: drawn(makeGame({ moves: movesOf(puzzle.moves) })),
  accepted: [puzzle.answer],
  difficulty: DIFFICULTIES[puzzle.difficulty],
});

const kept = (/** @type {any} */ { id, address }) => {
  const [moves, query = ""] = address.split(/\?(.*)/s);
  return { id, deck: MINE, address, game: drawn(gameAt({ parts: ["", moves], query: new URLSearchParams(query) })) };
};

/** The puzzles of a deck, with how they were answered. @param {string} deck */
async function deckOf(deck) {
  const answers = await allAnswers();
  const known = new Map(answers.map((answer) => [answer.id, answer]));
  const all = deck === SHIPPED ? PUZZLES.map(shipped) : answers.filter((one) => one.deck === MINE).map(kept);
  return all.map((puzzle) => ({
    ...puzzle,
    answer: known.get(puzzle.id) ?? { id: puzzle.id, right: 0, wrong: 0, due: 0 },
  }));
}

const scoreOf = (deck) => ({
  all: deck.length,
  solved: deck.filter(({ answer }) => answer.right > 0 && !answer.due).length,
  tried: deck.filter(({ answer }) => answer.right + answer.wrong > 0).length,
  answers: deck.reduce((sum, { answer }) => sum + answer.right + answer.wrong, 0),
});

/** What to ask next: a missed one that is due, else the first that was never tried, else what was missed, else the oldest. */
export function nextOf(deck) {
  const { answers } = scoreOf(deck);
  const missed = deck.filter(({ answer }) => answer.due).sort((one, other) => one.answer.due - other.answer.due);
  if (missed.length && missed[0].answer.due <= answers) return missed[0];
  const fresh = deck.find(({ answer }) => !answer.right && !answer.wrong);
  return fresh ?? missed[0] ?? [...deck].sort((one, other) => one.answer.right - other.answer.right)[0] ?? null;
}

export async function show(main, [id], { go }) {
  return id ? showDeck(main, id, go) : showDecks(main);
}

async function showDecks(main) {
  const days = streak();
  const list = h("div", { class: "stack" });
  const { rules, boards } = shipped(puzzleOf(today())).game;
  const board = new Board({ size: rules.size, label: "Today's position", coordinates: false });
  board.show({ cells: boards.at(-1) });
  replace(
    main,
    h("div", { class: "stack narrow" }, [
      h("section", { class: "card columns small-board" }, [
        h("a", { href: "#/drills/today" }, board.element),
        h("div", { class: "stack" }, [
          h("h1", {}, "Puzzles"),
          h("p", {}, [
            "You have a won game. Exactly one move keeps the win, and it isn't a capture. Then the other side resists, and you go on, for up to three moves. Every answer is proven. What you miss comes back until you know it.",
          ]),
          h("p", { class: "row" }, [
            h("a", { class: "button", href: "#/drills/today" }, "The puzzle of the day"),
            days > 0 && h("b", {}, plural(days, "{n} day in a row", "{n} days in a row")),
          ]),
        ]),
      ]),
      list,
    ]),
  );
  await load();

  async function load() {
    const decks = await Promise.all([deckOf(SHIPPED), deckOf(MINE)]);
    replace(list, card(SHIPPED, "Fifty puzzles", decks[0]), card(MINE, "My mistakes", decks[1]));
  }

  function card(id, name, deck) {
    const { all, solved, tried } = scoreOf(deck);
    const forget = async () => {
      if (!(await confirmed(`Delete ${name}?`, "Delete"))) return;
      for (const puzzle of deck) await forgetAnswer(puzzle.id);
      await load();
    };
    return h("article", { class: "card" }, [
      h("h2", {}, all ? h("a", { href: `#/drills/${id}` }, name) : name),
      all
        ? h(
            "p",
            {},
            plural(
              all,
              `{n} position, ${solved} solved, ${tried} tried`,
              `{n} positions, ${solved} solved, ${tried} tried`,
            ),
          )
        : h(
            "p",
            { class: "soft" },
            "In a review, “Drill this” saves a position here in which you threw a won game away.",
          ),
      all > 0 && h("progress", { max: all, value: solved, "aria-label": `Solved of ${name}` }),
      id === MINE && all > 0 && h("p", { class: "row" }, button("Delete", "quiet small", forget)),
    ]);
  }
}

async function showDeck(main, id, go) {
  const date = id === "today" ? today() : isDate(id) ? id : null;
  if (!date && id !== SHIPPED && id !== MINE) throw new Error("There is no such deck.");
  let deck = [];
  /** @type {any} */
  let puzzle = null;
  let line = []; // what was played since: right moves, and the answers to them
  let wrong = []; // what was tried in vain in this position
  let tries = []; // whether each try was right
  let end = ""; // solved, missed or shown
  let best = ""; // at the end, a move that would have won
  let busy = false; // the other side thinks
  let stopLine = null;
  const stopping = new AbortController();
  const says = h("div", { class: "says", role: "status", "aria-live": "polite" });
  const tally = h("p", { class: "soft" });
  const bar = h("progress", { "aria-label": "Solved" });
  const next = button(["Next", " ", h("kbd", {}, "n")], null, () => (date ? go(`/drills/${SHIPPED}`) : nextOne()));
  const pass = button("Pass", "quiet", () => tryMove("PASS", null));
  const give = button("Show me", "quiet", () => settle(null));
  const analyse = button("Look closer", "quiet", () =>
    go(addressOf("review", puzzle.game, { at: puzzle.game.moves.length })),
  );
  const why = button("Show the punishment", "quiet", () => playOut([wrong.at(-1)]));
  const how = button("Show the win", "quiet", () => playOut([]));
  const share = button("Share", "quiet", copySquares);
  const holder = h("div", { class: "board-side" });
  let board = null;
  await load();
  replace(
    main,
    h("div", { class: "columns puzzle" }, [
      holder,
      h("div", { class: "card stack" }, [
        h("h1", {}, date ? (date === today() ? "The puzzle of the day" : `The puzzle of ${date}`) : "Keep the win"),
        says,
        h("div", { class: "row answered" }, next, pass, give, why, how, share, analyse),
        bar,
        tally,
        h("p", {}, h("a", { href: "#/drills" }, "All puzzles")),
      ]),
    ]),
  );
  if (puzzle) focusBoard();
  const stopKeys = onKeys((key) => key === "n" && isOver() && (() => next.click()));

  async function load() {
    closeLine();
    deck = await deckOf(id === MINE ? MINE : SHIPPED);
    puzzle = date ? shipped(puzzleOf(date)) : nextOf(deck);
    [line, wrong, tries, end, best, busy] = [[], [], [], "", "", false];
    if (!puzzle)
      return replace(says, h("p", {}, "There is nothing to drill yet. In a review, “Drill this” saves a position."));
    const played = date && playedOn(date);
    if (played?.tries) ({ line, wrong, tries, end, best } = played);
    const { size } = puzzle.game.rules;
    if (!board || board.size !== size) {
      board = new Board({ size, label: "The puzzle", onplay: (move, reason) => tryMove(move, reason) });
      replace(holder, board.element);
    }
    draw();
    if (isTheirs()) resist();
  }

  async function nextOne() {
    await load();
    focusBoard();
  }

  function focusBoard() {
    board.element.focus({ preventScroll: true });
  }

  // Solved, missed twice, or given up. After one miss there is a second try.
  function isOver() {
    return Boolean(end);
  }

  function misses() {
    return tries.filter((right) => !right).length;
  }

  function found() {
    return tries.length - misses();
  }

  // Whether the other side has to answer.
  function isTheirs() {
    return !isOver() && line.length % 2 === 1;
  }

  function position() {
    return positionAt(puzzle.game, puzzle.game.moves.length, line);
  }

  function draw() {
    const { game } = puzzle;
    const now = describe(positionAt(game), line);
    const marks = {};
    if (end && end !== "solved" && best) marks[best] = "won";
    for (const move of wrong) marks[move] = "wrong";
    const last = line.at(-1) ?? game.moves.at(-1);
    board.show({
      cells: now.boards.at(-1),
      last,
      ko: now.kos.at(-1),
      illegal: now.illegal,
      turn: isOver() || isTheirs() || busy ? null : now.to_move,
      marks,
    });
    const at = (element, isThere) => element.classList.toggle("hidden", !isThere);
    next.disabled = !isOver();
    at(pass, !isOver() && now.legal.includes("PASS"));
    at(give, wrong.length > 0 && !isOver());
    at(why, isOver() && wrong.length > 0);
    at(how, isOver());
    at(share, isOver() && Boolean(date));
    at(analyse, isOver());
    const score = scoreOf(deck);
    Object.assign(bar, { max: score.all, value: score.solved });
    at(bar, !date);
    const days = date ? streak(today()) : 0;
    const stones = (digit) => [...now.boards.at(-1)].filter((cell) => cell === digit).length;
    replace(tally, [
      puzzle.difficulty && `${puzzle.difficulty}. `,
      `Black ${stones("1")}, White ${stones("2")} + ${halves(game.rules.komi)} komi. `,
      date
        ? days > 0 && `${plural(days, "{n} day in a row", "{n} days in a row")}.`
        : `${score.solved} of ${score.all} solved, ${score.tried} tried.`,
    ]);
    replace(says, h("p", {}, wrong.length || isOver() || line.length ? judged(now) : asked()));
  }

  function asked() {
    const { game } = puzzle;
    const komi = halves(game.rules.komi);
    return [
      h("b", {}, `${Colour(game.to_move)} to move and win.`),
      ` ${plural(game.plies_left, `{n} move left, komi ${komi}.`, `{n} moves left, komi ${komi}.`)}`,
      puzzle.difficulty && " One move wins; it captures nothing.",
    ];
  }

  function judged(now) {
    const other = Colour(opponent(puzzle.game.to_move));
    const again = misses() > 0 && " It took a second try.";
    if (end === "solved") {
      const count = found();
      const what = count > 1 ? `All ${count} moves found: the win is safe.` : "It was the only move.";
      return [
        h("b", { class: "good" }, "Right."),
        ` ${puzzle.difficulty || count > 1 ? what : "It keeps the win."}`,
        again,
      ];
    }
    if (isOver())
      return [
        wrong.length > 0 && h("b", { class: "bad" }, "That gives the win away."),
        best && ` ${name(best)} keeps it.`,
      ];
    if (wrong.length) return [h("b", { class: "bad" }, "That gives the win away."), " Try once more."];
    if (isTheirs()) return [h("b", { class: "good" }, "Right."), ` ${other} looks for an answer…`];
    const left = plural(now.plies_left, "{n} move left.", "{n} moves left.");
    return [h("b", { class: "good" }, "Right."), ` ${other} answers ${name(line.at(-1))}. Keep the win: ${left}`];
  }

  function name(move) {
    return moveName(move, puzzle.game.rules.size);
  }

  function tryMove(move, reason) {
    if (isOver() || isTheirs() || busy || stopLine) return undefined;
    if (reason) return toast(`${name(move)}: ${reason}.`, "error");
    return settle(move);
  }

  // The first try counts; `null` gives up.
  async function settle(move) {
    const asked = puzzle;
    const isFirst = !misses() && !isOver();
    busy = true;
    const known = await attempt(() => judge(move));
    if (puzzle !== asked) return;
    busy = false;
    if (!known) return draw();
    if (move) tries = [...tries, known.keeps];
    if (known.keeps) [line, wrong] = [[...line, move], []];
    else if (move) wrong = [...wrong, move];
    if (!move) end = "shown";
    else if (misses() > 1) end = "missed";
    best = known.best;
    keepIt();
    if (isFirst && !known.keeps) await count(false);
    draw();
    if (known.keeps) await resist();
    else if (isOver()) next.focus({ preventScroll: true });
  }

  /** Whether a move keeps the win, and a move that does. @param {string | null} move */
  async function judge(move) {
    const place = position();
    const options = { signal: stopping.signal };
    const [known] = line.length ? [] : (puzzle.accepted ?? []);
    if (known && (!move || puzzle.difficulty)) return { keeps: move === known, best: known };
    const keeps = move !== null && (await kernel.value(place.play(move), options)) === place.toMove;
    return { keeps, best: keeps ? move : await kernel.winningMove(place, options) };
  }

  // The other side answers; if there is nothing left to find, the puzzle is solved.
  async function resist() {
    const asked = puzzle;
    const reply = await attempt(() => resistance(position(), found(), kernel, { signal: stopping.signal }));
    if (puzzle !== asked || !isTheirs()) return;
    if (reply) line = [...line, reply];
    else end = "solved";
    if (end && date === today()) solvedOn(date);
    keepIt();
    if (end && !misses()) await count(true);
    draw();
    if (end) next.focus({ preventScroll: true });
  }

  function keepIt() {
    if (date) keepPlayed(date, { line, wrong, tries, end, best });
  }

  async function count(right) {
    const { all, answers } = { ...scoreOf(deck), all: deck };
    const before = all.find((one) => one.id === puzzle.id)?.answer ?? { id: puzzle.id, right: 0, wrong: 0, due: 0 };
    const answer = { ...before, due: right ? 0 : answers + COMES_BACK };
    if (right) answer.right += 1;
    else answer.wrong += 1;
    if (puzzle.deck === MINE) Object.assign(answer, { deck: MINE, address: puzzle.address });
    await keepAnswer(answer);
    deck = deck.map((one) => (one.id === puzzle.id ? { ...one, answer } : one));
  }

  // How the win is kept, or how a wrong move is punished, played out on the board.
  function playOut(moves) {
    closeLine();
    const before = end === "solved" ? line.slice(0, -1) : line;
    const from = positionAt(puzzle.game, puzzle.game.moves.length, [...before, ...moves]);
    const close = () => {
      closeLine();
      draw();
    };
    const first = moves.length ? `After ${name(moves[0])}.` : "";
    stopLine = showLine({ board, from, says, first, close, fail: showError });
  }

  function closeLine() {
    stopLine?.();
    stopLine = null;
  }

  function copySquares() {
    const text = `${squares({ date, tries, end })}\n${location.href.split("#")[0]}#/drills/${date}`;
    return copy(text, "Copied: paste it to a friend.");
  }

  return () => {
    stopping.abort();
    closeLine();
    stopKeys();
  };
}

/** The result of a day in squares: a red one for each miss, a green one for each right move. */
export const squares = ({ date, tries, end }) =>
  `Little-Go, ${date}: ${tries.map((right) => (right ? "🟩" : "🟥")).join("")}${end === "solved" ? "" : "⬛"}`;
