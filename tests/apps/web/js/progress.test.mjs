// Jobs and grades in words.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  changes,
  comparison,
  forfeitLine,
  forfeits,
  lossesByReason,
  reasonLine,
} from "../../../../src/littlego/apps/web/static/js/results/grades.js";
import { duration, progressOf } from "../../../../src/littlego/apps/web/static/js/server/progress.js";

test("a job that waits says what for", () => {
  const first = { title: "Grading of mine, 2025", done: 31, total: 80 };
  assert.equal(progressOf({ state: "waiting", waiting_for: first }), "waiting for Grading of mine, 2025, 31 of 80");
  assert.equal(progressOf({ state: "waiting", waiting_for: null }), "waiting for its turn");
});

test("a job that runs says how far it is", () => {
  assert.equal(progressOf({ state: "running", done: 31, total: 80, message: "games" }), "31 of 80 games");
  assert.equal(progressOf({ state: "running", done: 0, total: 20000, message: "" }), "0 of 20,000");
  assert.equal(progressOf({ state: "running", done: 0, total: 0, message: "" }), "starting");
});

test("how long a job has run", () => {
  assert.deepEqual([1, 40, 180, 7200].map(duration), [
    "for 1 second",
    "for 40 seconds",
    "for 3 minutes",
    "for 2 hours",
  ]);
});

const graded = (opponent, lost, more = {}) => ({
  opponent,
  games: 4,
  planned_games: 4,
  wins: 4 - lost.length,
  points: 10 - 2.5 * lost.length,
  max_points: 10,
  by_colour: { black: { games: 2 }, white: { games: 2 } },
  lost: lost.map((place) => ({ place, verdict: "score", outcome: "White wins by 0.5 (11-11.5)" })),
  ...more,
});
const reportOf = (...opponents) => ({
  problem: "",
  complete: true,
  games: 8,
  counted_repeat: 1,
  repeats: [{ batches: [{ stage: "1", title: "Stage 1", opponents }] }],
});

test("a grade begins with the reason", () => {
  assert.equal(reasonLine(reportOf(graded("random", []))), "No points were lost.");
  const report = reportOf(graded("random", [0]), graded("greedy", [1, 2, 3]));
  const where = "7.5 against greedy (1 of 4 games won) and 2.5 against random (3 of 4 games won)";
  assert.equal(reasonLine(report), `Points lost: ${where}.`);
  assert.equal(reasonLine({ ...report, problem: "no my_player3.py" }), "The agent cannot play.");
});

test("two gradings are compared game by game", () => {
  const [row] = comparison(reportOf(graded("random", [0, 1])), reportOf(graded("random", [1, 2])));
  assert.deepEqual(
    row.games.map((game) => game.kind),
    ["gained", "lost", "dropped", "kept"],
  );
  assert.deepEqual(
    row.games.map((game) => game.colour),
    ["black", "white", "black", "white"],
  );
  assert.equal(changes([row]), "1 game gained, 1 game lost");
  const [same] = comparison(reportOf(graded("random", [0])), reportOf(graded("random", [0])));
  assert.equal(changes([same]), "no game changed");
  const white = { by_colour: { black: { games: 0 }, white: { games: 4 } } };
  const [only] = comparison(reportOf(graded("random", [5], white)), reportOf(graded("random", [], white)));
  assert.deepEqual(
    only.games.map((game) => game.kind),
    ["kept", "kept", "gained", "kept"],
  );
  const [partial] = comparison(reportOf(graded("random", [0], { games: 2 })), reportOf(graded("random", [0, 1])));
  assert.deepEqual(
    partial.games.map((game) => game.kind),
    ["lost", "open", "open", "open"],
  );
});

test("the same reason at another point is the same reason", () => {
  const ko = (point) => ({
    verdict: "illegal",
    record: { outcome: { reason: `${point}: the move would retake the ko at once` } },
    stderr: "",
  });
  const beaten = { verdict: "score", record: { outcome: { reason: "" } }, stderr: "" };
  const batch = { opponents: [{ opponent: "random", lost: [ko("2,2"), beaten, ko("1,3")] }] };
  const report = { games: 4, repeats: [{ batches: [batch] }] };
  assert.equal(forfeitLine(report), "2 of 4 games forfeited: the move would retake the ko at once");
  assert.deepEqual(
    lossesByReason(batch).map(({ reason, games }) => [reason, games.length]),
    [
      ["the move would retake the ko at once", 2],
      ["lost on the board", 1],
    ],
  );
});

test("forfeits are counted by their reason", () => {
  const traceback = [
    "Traceback (most recent call last):",
    '  File "/tmp/x/my_player3.py", line 3, in <module>',
    "KeyError: 'best'",
  ].join("\n");
  const crash = { verdict: "crash", record: { outcome: { reason: "crashed" } }, stderr: traceback };
  const late = { verdict: "cpu_time", record: { outcome: { reason: "took too long" } }, stderr: "" };
  const beaten = { verdict: "score", record: { outcome: { reason: "" } }, stderr: "" };
  const report = { repeats: [{ batches: [{ opponents: [{ lost: [late, crash, beaten] }, { lost: [crash] }] }] }] };
  assert.deepEqual(forfeits(report), [
    { count: 2, reason: "KeyError: 'best' in my_player3.py, line 3" },
    { count: 1, reason: "took too long" },
  ]);
  const all = { ...report, games: 4 };
  const line = "3 of 4 games forfeited, 2 of them: KeyError: 'best' in my_player3.py, line 3";
  assert.equal(forfeitLine(all), line);
  assert.equal(forfeitLine({ repeats: [], games: 4 }), "");
});
