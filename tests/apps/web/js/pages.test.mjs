// What a key, a dialog, a hidden page or a second visit does, without a browser.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

// As much of a browser as these functions look at.
const sent = []; // over the WebSocket
let answers = {}; // by path, what the server answers
let asked = []; // paths, in order

class Socket extends EventTarget {
  readyState = 1;
  constructor() {
    super();
    setTimeout(() => this.dispatchEvent(new Event("open")));
  }
  send(text) {
    sent.push(JSON.parse(text));
  }
  close() {}
}

const store = new Map();
Object.assign(globalThis, {
  WebSocket: Socket,
  location: { protocol: "http:", host: "localhost", href: "http://localhost/" },
  document: Object.assign(new EventTarget(), { hidden: false }),
  localStorage: { getItem: (name) => store.get(name) ?? null, setItem: (name, value) => store.set(name, value) },
  dispatchEvent: () => true,
  fetch: async (path) => {
    asked.push(path);
    return { ok: true, status: 200, json: async () => answers[path] };
  },
});

const JS = "../../../../src/littlego/apps/web/static/js";
const { Analysis } = await import(`${JS}/board/analysis.js`);
const { Board } = await import(`${JS}/board/board.js`);
const { followValues } = await import(`${JS}/board/values.js`);
const { onKeys } = await import(`${JS}/dom.js`);
const { whyNotPass } = await import(`${JS}/pages/game.js`);
const { mistakeAfter } = await import(`${JS}/pages/review.js`);
const { crossResults } = await import(`${JS}/pages/tournament.js`);
const { keepPlayed, playedOn, solvedOn, streak } = await import(`${JS}/results/streak.js`);
const { newerOf } = await import(`${JS}/server/api.js`);

const step = () => new Promise(setImmediate);
const until = async (holds) => {
  while (!holds()) await step();
};

beforeEach(() => {
  sent.length = 0;
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

test("of two states of a game the newer is taken, whichever comes last", () => {
  const [old, now] = [{ version: 3 }, { version: 4 }];
  assert.equal(newerOf(old, now), now);
  assert.equal(newerOf(now, old), now);
  const same = { version: 4 };
  assert.equal(newerOf(now, same), same);
});

test("the SGF has the longest of the variations that begin alike", () => {
  const analysis = Object.assign(Object.create(Analysis.prototype), { game: { id: "g" }, variations: [], at: 4 });
  for (const line of [["2,1"], ["2,1", "3,3"], ["2,1"], ["0,0"]]) {
    analysis.line = line;
    analysis.remember();
  }
  assert.equal(decodeURIComponent(analysis.sgf()), "/api/games/g.sgf?line=4:2,1_3,3&line=4:0,0");
});

test("a hidden page does not keep the server searching", async () => {
  answers["/api/values"] = { key: "k", state: "working", missing: ["0,0"], leads_missing: 0 };
  const stop = followValues({}, () => {}, assert.fail);
  await until(() => sent.some((message) => message.listen === "values:k"));
  document.hidden = true;
  document.dispatchEvent(new Event("visibilitychange"));
  assert.deepEqual(sent.at(-1), { forget: "values:k" });
  document.hidden = false;
  document.dispatchEvent(new Event("visibilitychange"));
  await until(() => sent.at(-1).listen === "values:k");
  assert.equal(asked.length, 2, "it asks again when it is seen");
  stop();
});

test("a search that was paused goes on when somebody touches the page", async () => {
  answers["/api/values"] = { key: "k", state: "paused", missing: [], leads_missing: 3 };
  const taken = [];
  const stop = followValues({}, (answer) => taken.push(answer), assert.fail);
  await until(() => taken.length === 1);
  document.dispatchEvent(new Event("pointerdown"));
  await until(() => taken.length === 2);
  stop();
  document.dispatchEvent(new Event("pointerdown"));
  assert.equal(asked.length, 2, "nobody follows it any more");
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
  keepPlayed("2026-03-01", { answer: { right: false }, first: {} });
  assert.deepEqual(playedOn("2026-03-01").answer, { right: false });
  assert.equal(playedOn("2026-03-02"), null);
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
