// What a key, a dialog, a hidden page or a second visit does, without a browser.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

// As much of a browser as these functions look at.
let answers = {}; // by path, what the server answers
let asked = []; // paths, in order

const store = new Map();
Object.assign(globalThis, {
  location: { protocol: "http:", host: "localhost", href: "http://localhost/" },
  document: Object.assign(new EventTarget(), { hidden: false, baseURI: "http://localhost/" }),
  localStorage: { getItem: (name) => store.get(name) ?? null, setItem: (name, value) => store.set(name, value) },
  dispatchEvent: () => true,
  fetch: async (address) => {
    const path = address.slice(1); // of "./api/…"
    asked.push(path);
    return { ok: true, status: 200, json: async () => answers[path] };
  },
});

const JS = "../../../../src/littlego/apps/web/static/js";
const { Analysis } = await import(`${JS}/board/analysis.js`);
const { Board } = await import(`${JS}/board/board.js`);
const { followValues, kernel } = await import(`${JS}/thinking.js`);
const { onKeys } = await import(`${JS}/dom.js`);
const { nextOpponent, regretOf, whyNotPass } = await import(`${JS}/pages/game.js`);
const { mistakeAfter } = await import(`${JS}/pages/review.js`);
const { crossResults } = await import(`${JS}/pages/tournament.js`);
const { keepPlayed, playedOn, solvedOn, streak } = await import(`${JS}/results/streak.js`);
const { nextOf, squares } = await import(`${JS}/pages/drills.js`);
const { resultsOf, weeksOf } = await import(`${JS}/results/history.js`);
const { addressOf, drawn, gameAt, gameOfText, makeGame, resigned, sgfOf } = await import(`${JS}/go/game.js`);
const { editionRules, Position } = await import(`${JS}/go/position.js`);
const { PLAYERS } = await import(`${JS}/data.js`);

const step = () => new Promise(setImmediate);
const until = async (holds) => {
  while (!holds()) await step();
};

beforeEach(() => {
  asked = [];
  answers = {};
  store.clear();
  document.hidden = false;
});

test("a pass is asked about only if it gives the game away", () => {
  const game = { to_move: "black", moves: ["2,2"], score: { black: 1, white: 2.5 } };
  const values = (value, pass) => ({ value, values: { "1,1": value, PASS: pass } });
  assert.match(whyNotPass(game, values("black", "white")), /throws the win away/);
  assert.match(whyNotPass(game, values("black", "tie")), /throws the win away/);
  assert.equal(whyNotPass(game, values("black", "black")), null, "it still wins");
  assert.equal(whyNotPass(game, values("white", "white")), null, "there is nothing to give away");
  assert.equal(whyNotPass(game, { value: "black", values: { "1,1": "black" } }), null, "not known");
  assert.equal(whyNotPass(game, null), null, "no values");
});

test("a second pass is asked about only if it loses", () => {
  const ended = (black) => ({ to_move: "black", moves: ["2,2", "PASS"], score: { black, white: 2.5 } });
  assert.match(whyNotPass(ended(2), null), /you are behind/);
  assert.equal(whyNotPass(ended(3), null), null);
});

test("the next mistake is another one, and after the last comes the first", () => {
  const moves = [false, true, false, true].map((is_mistake) => ({ is_mistake }));
  assert.deepEqual(
    [0, 1, 2, 3].map((at) => mistakeAfter(moves, at)),
    [1, 3, 3, 1],
  );
  assert.equal(mistakeAfter([{ is_mistake: true }], 0), null, "there is no other");
  assert.equal(mistakeAfter([], 0), null);
});

test("a tie counts half in the table of who beat whom", () => {
  const results = crossResults([
    { black: "a", white: "b", black_wins: 1, white_wins: 0, ties: 1, games: 2 },
    { black: "b", white: "a", black_wins: 2, white_wins: 0, ties: 0, games: 2 },
  ]);
  assert.deepEqual(results.get("a\nb"), [1.5, 4]);
  assert.deepEqual(results.get("b\na"), [2.5, 4]);
});

test("the SGF has the longest of the variations that begin alike", () => {
  const game = drawn(makeGame({ moves: ["2,2", "1,1", "1,2", "2,1"] }));
  const analysis = Object.assign(Object.create(Analysis.prototype), { game, variations: [], at: 4 });
  for (const line of [["3,1"], ["3,1", "3,3"], ["3,1"], ["0,0"]]) {
    analysis.line = line;
    analysis.remember();
  }
  assert.match(analysis.sgf(), /;W\[bc\]\(;B\[bd\];W\[dd\]\)\(;B\[aa\]\)\)\n$/);
});

test("a search stops while nobody sees the page, and goes on when somebody does", () => {
  const sent = [];
  kernel.given = { postMessage: (message) => sent.push(message) };
  const stop = followValues(makeGame({}).start, {}, () => {}, assert.fail);
  assert.equal(sent.at(-1).ask, "values");
  document.hidden = true;
  document.dispatchEvent(new Event("visibilitychange"));
  assert.equal(sent.at(-1).stop, true);
  document.hidden = false;
  document.dispatchEvent(new Event("visibilitychange"));
  assert.equal(sent.at(-1).ask, "values");
  stop();
  assert.equal(sent.at(-1).stop, true);
  const count = sent.length;
  document.dispatchEvent(new Event("visibilitychange"));
  assert.equal(sent.length, count, "nobody follows it any more");
});

test("a game is its address, and every fact that differs is in it", () => {
  const games = [
    makeGame({}),
    makeGame({ moves: ["2,2", "PASS", "0,4"], seats: { black: "human", white: "greedy" }, seed: 12345 }),
    makeGame({ rules: { ...editionRules("2025", 3), komi: 1, max_moves: 5 }, black: "Ann & Ben", white: "ß/%#?" }),
    makeGame({ rules: editionRules("2019", 7), moves: ["6,6"], ended: resigned("white") }),
    makeGame({ start: new Position(editionRules(), { cells: `12${"0".repeat(23)}`, toMove: "white", played: 5 }) }),
    { ...makeGame({}), ended: { winner: "white", verdict: "forfeit", text: "White wins: Black forfeited, 2,2: ko" } },
  ];
  for (const game of games) {
    const [path, query = ""] = addressOf("play", game, { at: 3 }).split(/\?(.*)/s);
    const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
    assert.deepEqual(gameAt({ parts, query: new URLSearchParams(query) }), game);
  }
  assert.equal(addressOf("play", games[0]), "/play/-");
  assert.equal(addressOf("play", games[1]), "/play/cc--ea?w=greedy&s=9ix");
});

test("an address that somebody mistyped is refused in words", () => {
  const at =
    (moves, query = "") =>
    () =>
      gameAt({ parts: ["play", moves], query: new URLSearchParams(query) });
  assert.throws(at("c"), /cannot be read/);
  assert.throws(at("cccc"), /occupied/);
  assert.throws(at("ss"), /not on the board/);
  for (const query of ["n=1", "n=x", "k=0.3", "m=0", "from=12", "from=000.b"])
    assert.throws(at("-", query), /cannot be/);
});

test("a game is read from SGF as it was written, and what is no SGF is refused", () => {
  const game = makeGame({ moves: ["2,2", "PASS", "0,4"], black: "A]\\n", white: "B", seats: undefined });
  const read = gameOfText(sgfOf(game));
  assert.deepEqual([read.moves, read.black, read.start], [game.moves, "A]\\n", game.start]);
  for (const text of ["", "hello", "(;SZ[5]", "(;SZ[40])", "(;SZ[5];W[cc];W[dd])", "(;SZ[5];B[cc];W[cc])", "{", "{}"])
    assert.throws(() => gameOfText(text), Error, text);
});

test("a puzzle that was missed comes back before new ones, but not at once", () => {
  const puzzle = (id, right, wrong, due) => ({ id, answer: { id, right, wrong, due } });
  const fresh = puzzle("c", 0, 0, 0);
  assert.equal(nextOf([puzzle("a", 0, 1, 5), fresh]), fresh, "after one answer");
  const missed = puzzle("a", 0, 1, 5);
  assert.equal(nextOf([missed, ...["d", "e", "f", "g"].map((id) => puzzle(id, 1, 0, 0)), fresh]), missed);
  assert.equal(nextOf([]), null);
});

test("the day's result is shared in squares", () => {
  assert.equal(
    squares({ date: "2026-03-01", tries: [false, true, true], end: "solved" }),
    "Little-Go, 2026-03-01: 🟥🟩🟩",
  );
  assert.equal(
    squares({ date: "2026-03-01", tries: [true, false, false], end: "missed" }),
    "Little-Go, 2026-03-01: 🟩🟥🟥⬛",
  );
});

test("the next opponent is the next one in measured order; after the strongest there is none", () => {
  assert.deepEqual(
    PLAYERS.map(({ rating }) => rating),
    PLAYERS.map(({ rating }) => rating).sort((a, b) => a - b),
  );
  PLAYERS.forEach(({ name }, k) => assert.equal(nextOpponent(name), PLAYERS[k + 1]?.name ?? null));
  assert.equal(nextOpponent("agent:x"), null);
});

test("only own moves from won positions can give a win away", () => {
  const move = (colour, before, is_mistake, good_moves) => ({ colour, before, is_mistake, good_moves });
  const moves = [
    move("black", "black", false, ["1,1"]),
    move("white", "black", false, []),
    move("black", "black", true, ["2,2"]),
    move("white", "white", true, ["3,3"]),
    move("black", "white", false, []),
    move("black", "black", false, ["0,0", "0,1"]),
  ];
  assert.deepEqual(regretOf({ moves }, "black"), { won: 3, given: 1, only: 2, found: 1 });
});

test("weeks begin on Monday, and results are counted by opponent", () => {
  const game = (date, winner, review) => ({
    when: Date.parse(date),
    you: "black",
    opponent: "greedy",
    ended: true,
    winner,
    review,
  });
  const review = { won: 4, given: 1, only: 2, found: 1 };
  const games = [
    game("2026-03-01T23:00Z", "black", review),
    game("2026-03-02", "white", review),
    game("2026-03-08", null, review),
  ];
  assert.deepEqual(
    weeksOf(games).map(({ week, games: count, given }) => [week, count, given]),
    [
      ["2026-02-23", 1, 1],
      ["2026-03-02", 2, 2],
    ],
  );
  assert.deepEqual(resultsOf(games), [{ opponent: "greedy", won: 1, lost: 1, tie: 1 }]);
});

test("keys are for the page, unless somebody types, or presses a button", () => {
  const pressed = [];
  const stop = onKeys((key) => (key === "n" || key === " ") && (() => pressed.push(key)));
  const press = (key, within = [], more = {}) => {
    const event = Object.assign(new Event("keydown"), { key, ...more });
    Object.defineProperty(event, "target", {
      value: { closest: (query) => query.split(", ").some((one) => within.includes(one)) },
    });
    document.dispatchEvent(event);
  };
  press("n");
  press("x");
  press("n", ["input"]);
  press("n", ["dialog"]);
  press("n", [], { ctrlKey: true });
  press(" ", ["button"]);
  press(" ");
  assert.deepEqual(pressed, ["n", " "]);
  stop();
  press("n");
  assert.equal(pressed.length, 2);
});

test("the puzzle of the day is found as it was left, and another day is another puzzle", () => {
  assert.equal(playedOn("2026-03-01"), null);
  keepPlayed("2026-03-01", { wrong: ["0,0"] });
  assert.deepEqual(playedOn("2026-03-01").wrong, ["0,0"]);
  assert.equal(playedOn("2026-03-02"), null);
  keepPlayed("2026-03-02", { wrong: [] });
  assert.deepEqual(playedOn("2026-03-01").wrong, ["0,0"]);
  solvedOn("2026-02-28");
  solvedOn("2026-02-28");
  assert.equal(streak("2026-03-01"), 1);
});

test("what is drawn on a point is spoken", () => {
  const state = { cells: "0120", ko: "1,1", illegal: { "1,1": "the move would retake the ko at once" } };
  const marks = { "0,0": { sign: "won", text: "+1½", only: true }, "0,1": "lost" };
  const board = Object.assign(Object.create(Board.prototype), { size: 2, label: "B", state: { ...state, marks } });
  assert.equal(board.spoken(0), "B: row 0, column 0, empty, wins, +1½, the only move");
  assert.equal(board.spoken(1), "B: row 0, column 1, a black stone");
  assert.equal(board.spoken(3), "B: row 1, column 1, empty, illegal: the move would retake the ko at once");
});
