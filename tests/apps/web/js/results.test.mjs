// The result card, streaks and points in words.

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.location ??= { protocol: "http:", host: "localhost" };
const { explained, kindOf, sidesOf, tally } =
  await import("../../../../src/littlego/apps/web/static/js/results/card.js");
const { daysInARow } = await import("../../../../src/littlego/apps/web/static/js/results/streak.js");
const { onlyMovesLine, ratingLine, ratingOf } =
  await import("../../../../src/littlego/apps/web/static/js/results/rating.js");
const { PLAYERS } = await import("../../../../src/littlego/apps/web/static/js/data.js");
const { points, valueMarks } = await import("../../../../src/littlego/apps/web/static/js/board/values.js");

const move = (verdict, more = {}) => ({ verdict, is_mistake: false, slip: null, ...more });

test("moves are counted by what they did to the result", () => {
  const moves = [
    move("kept_the_win"),
    move("the_only_move"),
    move("kept_the_win", { slip: 2 }),
    move("kept_the_win", { slip: 0 }),
    move("the_losing_move", { is_mistake: true, slip: 3 }),
    move("was_lost_anyway"),
    move("had_no_choice"),
  ];
  assert.deepEqual(moves.map(kindOf), ["perfect", "perfect", "slip", "perfect", "loss", "fine", "fine"]);
  assert.equal(tally(moves), "3 of 5 perfect, 1 only move");
  assert.equal(tally([move("was_lost_anyway")]), "nothing could be lost");
  assert.equal(kindOf(move("not_known_yet")), "open");
});

test("the card is the person's, or of both sides", () => {
  assert.deepEqual(sidesOf({ seats: { black: "greedy", white: "human" } }), ["white"]);
  assert.deepEqual(sidesOf({ seats: { black: "human", white: "human" } }), ["black", "white"]);
});

test("the end is explained with the stones of both sides", () => {
  const game = (black, white, winner, verdict = "score") => ({
    rules: { komi: 2.5 },
    score: { black, white },
    outcome: { verdict, winner, text: "Black wins: White resigned" },
  });
  assert.equal(explained(game(11, 10.5, "black")), "Black wins by ½: 11 against 8 + 2½ komi.");
  assert.equal(explained(game(10, 11.5, "white")), "White wins by 1½: 9 + 2½ komi against 10.");
  assert.equal(explained(game(12, 12.5, "white"), "black"), "You lost by ½: 12 against 10 + 2½ komi.");
  assert.equal(explained(game(12, 12.5, "white"), "white"), "You won by ½: 10 + 2½ komi against 12.");
  assert.equal(explained(game(3, 2.5, "black", "resigned"), "black"), "You won. Black wins: White resigned.");
  const tie = { ...game(4, 4, null), rules: { komi: 2 } };
  assert.equal(explained(tie, "black"), "A tie: 4 against 2 + 2 komi.");
});

test("points as people write them", () => {
  assert.deepEqual([0.5, -1.5, 12.5, 3, 0, -0.5].map(points), ["+½", "−1½", "+12½", "+3", "0", "−½"]);
});

test("the only move that wins is marked, and a mark has the points that its move wins or loses by", () => {
  const answer = {
    to_move: "white",
    values: { "0,0": "white", "0,1": "black", PASS: "black" },
    missing: [],
    leads: { "0,0": 1.5, "0,1": -0.5, PASS: -12.5 },
  };
  assert.deepEqual(valueMarks(answer), {
    "0,0": { sign: "won", text: "+1½", only: true },
    "0,1": { sign: "lost", text: "−½", only: false },
    PASS: { sign: "lost", text: "−12½", only: false },
  });
  assert.equal(valueMarks({ ...answer, missing: ["1,1"] })["0,0"].only, false, "another may win, too");
});

test("days in a row end with today or yesterday", () => {
  const days = ["2026-02-27", "2026-02-28", "2026-03-01", "2026-01-01"];
  assert.equal(daysInARow(days, "2026-03-01"), 3);
  assert.equal(daysInARow(days, "2026-03-02"), 3);
  assert.equal(daysInARow(days, "2026-03-03"), 0);
  assert.equal(daysInARow([], "2026-03-03"), 0);
});

const played = (opponent, result, more = {}) => ({
  ...{ ended: true, you: "black", size: 5, opponent },
  winner: { won: "black", lost: "white", tie: null }[result],
  ...more,
});
const many = (count, ...game) => Array.from({ length: count }, () => played(...game));
const above = (name) => PLAYERS.find((one) => one.name === name).rating - PLAYERS[0].rating;

test("who wins half of the games against an opponent is as strong as that one", () => {
  const even = ratingOf([...many(20, "alphabeta", "won"), ...many(20, "alphabeta", "lost")]);
  assert.ok(Math.abs(even.rating - above("alphabeta")) <= 10, String(even.rating));
  // By the normal approximation: 1.96 / sqrt(40 / 4) of the scale of 400 / ln 10.
  assert.ok(Math.abs(even.high - even.low - (2 * 1.96 * (400 / Math.LN10)) / Math.sqrt(10)) < 30);
  const better = ratingOf([...many(30, "alphabeta", "won"), ...many(10, "alphabeta", "lost")]);
  assert.ok(Math.abs(better.rating - even.rating - 400 * Math.log10(3)) < 15, "three of four: 191 points more");
  const fewer = ratingOf([...many(4, "alphabeta", "won"), ...many(4, "alphabeta", "lost")]);
  assert.ok(fewer.high - fewer.low > even.high - even.low, "fewer games say less");
  const ties = ratingOf(many(12, "greedy", "tie"));
  assert.ok(Math.abs(ties.rating - above("greedy")) <= 10);
  const all = ratingOf(many(10, "greedy", "won"));
  assert.ok(all.low > above("greedy") && Number.isFinite(all.high), "who wins all is stronger, within reason");
});

test("games with help, on other boards and against strangers count for no rating", () => {
  const none = [
    ...many(9, "greedy", "won", { helped: true }),
    ...many(9, "greedy", "won", { size: 4 }),
    ...many(9, "greedy", "won", { ended: false }),
    ...many(9, "Ada", "won"),
    ...many(4, "greedy", "won"),
  ];
  assert.equal(ratingOf(none), null);
  assert.equal(ratingLine(none), "");
  assert.match(
    ratingLine([...none, ...many(4, "greedy", "lost")]),
    /^You play at about [+]\d+ \(95%: [+−]\d+ to [+]\d+\), by 8 games without hints[.]$/,
  );
});

test("the only moves of this week stand beside those of the last", () => {
  const on = (date, only, found) => ({ when: Date.parse(date), review: { won: 20, given: 1, only, found } });
  const games = [on("2026-03-04", 6, 4), on("2026-03-08", 4, 3), on("2026-02-25", 9, 5)]; // a Wednesday, a Sunday
  assert.equal(
    onlyMovesLine(games, Date.parse("2026-03-08")),
    "This week you found 7 of 10 only moves; last week 5 of 9.",
  );
  assert.equal(onlyMovesLine(games.slice(0, 2), Date.parse("2026-03-08")), "This week you found 7 of 10 only moves.");
  assert.equal(
    onlyMovesLine(games, Date.parse("2026-03-09")),
    "You last found 7 of 10 only moves, in the week of 2026-03-02.",
  );
  assert.equal(onlyMovesLine([on("2026-03-04", 0, 0)], Date.parse("2026-03-05")), "");
});
