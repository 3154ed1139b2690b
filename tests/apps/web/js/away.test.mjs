// A server that is away and comes back, with answers and clocks that a test moves by hand.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Away } from "../../../../src/littlego/apps/web/static/js/server/away.js";

function setup() {
  const world = { timers: [], events: [], isThere: false };
  world.away = new Away({
    answers: () => (world.isThere ? Promise.resolve() : Promise.reject(new Error("away"))),
    later: (action, wait) => world.timers.push({ action, wait }),
    onaway: () => world.events.push("away"),
    onback: () => world.events.push("back"),
  });
  world.tick = async () => {
    world.timers.shift().action();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return world;
}

test("a server that is away is asked until it is back, ever less often", async () => {
  const world = setup();
  world.away.suspect();
  world.away.suspect();
  assert.deepEqual([world.events, world.timers.length], [["away"], 1], "told once, and asked once at a time");
  const waits = [];
  for (let k = 0; k < 7; k++) {
    waits.push(world.timers[0].wait);
    await world.tick();
  }
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 8000, 8000]);
  world.isThere = true;
  await world.tick();
  assert.deepEqual([world.events, world.timers.length], [["away", "back"], 0]);
});

test("a server that goes away again is told again", async () => {
  const world = setup();
  world.isThere = true;
  for (let k = 0; k < 2; k++) {
    world.away.suspect();
    assert.equal(world.timers[0].wait, 500);
    await world.tick();
  }
  assert.deepEqual(world.events, ["away", "back", "away", "back"]);
});
