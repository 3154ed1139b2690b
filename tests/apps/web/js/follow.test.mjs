// A page that follows a job.

import assert from "node:assert/strict";
import { test } from "node:test";

import { CHANGED, followJob } from "../../../../src/littlego/apps/web/static/js/server/follow.js";

function setup(server) {
  const world = { server, drawn: [], timers: [], asked: [], window: new EventTarget() };
  const get = async (path) => {
    world.asked.push(path);
    if (world.error) throw world.error;
    const seen = Number(path.split("seen=")[1]);
    return { ...world.server, result: seen === world.server.result_version ? null : world.server.result };
  };
  const later = (action, wait) => world.timers.push({ action, wait });
  const draw = (job) => world.drawn.push([job.state, job.done, job.result]);
  world.stop = followJob(server, draw, { get, later, window: world.window });
  world.tick = async () => {
    world.timers.shift().action();
    await new Promise(setImmediate);
  };
  world.click = async () => {
    world.window.dispatchEvent(new Event(CHANGED));
    await new Promise(setImmediate);
  };
  return world;
}

const RUNNING = { id: "j", state: "running", done: 1, result_version: 1, result: "one" };

test("a job is looked at until it ends, and its result is fetched when it changed", async () => {
  const world = setup(RUNNING);
  world.server = { ...RUNNING, done: 2 };
  await world.tick();
  assert.equal(world.asked[0], "/api/jobs/j?seen=1");
  world.server = { ...RUNNING, state: "done", done: 3, result_version: 2, result: "two" };
  await world.tick();
  assert.deepEqual(world.drawn, [
    ["running", 1, "one"],
    ["running", 2, "one"],
    ["done", 3, "two"],
  ]);
  assert.equal(world.timers.length, 0);
});

test("a job that was resumed is followed again", async () => {
  const world = setup({ ...RUNNING, state: "cancelled" });
  assert.equal(world.timers.length, 0);
  world.server = RUNNING;
  await world.click();
  assert.deepEqual(world.drawn.at(-1), ["running", 1, "one"]);
  assert.equal(world.timers.length, 1);
});

test("two looks at once go on as one", async () => {
  const world = setup(RUNNING);
  await world.click();
  await world.click();
  for (const { action } of world.timers.splice(0)) action();
  await new Promise(setImmediate);
  assert.equal(world.timers.length, 1);
});

test("an answer that comes after a newer one is not drawn", async () => {
  const answers = [];
  const drawn = [];
  const window = new EventTarget();
  const get = () => new Promise((resolve) => answers.push(resolve));
  followJob(RUNNING, (job) => drawn.push(job.done), { get, window, later: () => {} });
  window.dispatchEvent(new Event(CHANGED));
  window.dispatchEvent(new Event(CHANGED));
  answers[1]({ ...RUNNING, done: 3 });
  await new Promise(setImmediate);
  answers[0]({ ...RUNNING, done: 2 });
  await new Promise(setImmediate);
  assert.deepEqual(drawn, [1, 3]);
});

test("a server that is away is asked again, more rarely; a job that is gone is not", async () => {
  const world = setup(RUNNING);
  world.error = new Error("away");
  await world.tick();
  assert.ok(world.timers[0].wait > 1000);
  world.error = Object.assign(new Error("no such job"), { status: 404 });
  await world.tick();
  assert.equal(world.timers.length, 0);
});

test("nothing is drawn for a page that was left", async () => {
  const world = setup(RUNNING);
  world.stop();
  await world.tick();
  await world.click();
  assert.equal(world.drawn.length, 1);
  assert.equal(world.asked.length, 0);
});

test("others hear of a job that begins and of one that ends", async () => {
  const heard = [];
  const window = new EventTarget();
  window.addEventListener(CHANGED, () => heard.push(server.state));
  let server = RUNNING;
  const timers = [];
  followJob(RUNNING, () => {}, { get: async () => server, later: (action) => timers.push(action), window });
  assert.deepEqual(heard, ["running"]);
  server = { ...RUNNING, state: "done", result_version: 2, result: "two" };
  timers.shift()();
  await new Promise(setImmediate);
  assert.deepEqual(heard, ["running", "done"]);
  assert.equal(timers.length, 0);
});
