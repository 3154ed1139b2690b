// Jobs and grades in words.

import assert from "node:assert/strict";
import { test } from "node:test";

import { forfeitLine, forfeits, progressOf } from "../../../../src/littlego/apps/web/static/js/progress.js";

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
