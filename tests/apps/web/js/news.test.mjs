// One WebSocket whatever the network does, with sockets and clocks that a test moves by hand.

import assert from "node:assert/strict";
import { test } from "node:test";

import { followJob, News } from "../../../../src/littlego/apps/web/static/js/server/news.js";

class Socket extends EventTarget {
  readyState = 0;
  sent = [];
  open() {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }
  send(text) {
    this.sent.push(JSON.parse(text));
  }
  tell(news) {
    this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(news) }));
  }
  close() {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.dispatchEvent(new Event("close"));
  }
}

function setup() {
  const world = { sockets: [], timers: [], events: [] };
  world.news = new News({
    open: () => {
      const socket = new Socket();
      world.sockets.push(socket);
      return socket;
    },
    answers: () => (world.answers ? Promise.resolve() : Promise.reject(new Error("away"))),
    later: (action, wait) => world.timers.push({ action, wait }),
    onaway: () => world.events.push("away"),
    onback: () => world.events.push("back"),
  });
  world.living = () => world.sockets.filter((socket) => socket.readyState !== 3);
  world.tick = () => world.timers.shift().action();
  return world;
}

test("listening while a reconnection waits makes no second socket", () => {
  const world = setup();
  world.news.listen("a", () => {});
  world.sockets[0].open();
  world.sockets[0].close();
  world.news.listen("b", () => {});
  world.news.listen("c", () => {});
  while (world.timers.length) world.tick();
  assert.equal(world.living().length, 1);
});

test("each message is handled once, and the request to forget goes to the last socket", () => {
  const world = setup();
  const taken = [];
  const stop = world.news.listen("a", (news) => taken.push(news.n));
  world.sockets[0].open();
  world.sockets[0].close();
  world.news.listen("b", () => {});
  while (world.timers.length) world.tick();
  const socket = world.living()[0];
  socket.open();
  for (const one of world.sockets) one.tell({ topic: "a", n: 1 });
  assert.deepEqual(taken, [1]);
  stop();
  assert.deepEqual(socket.sent.at(-1), { forget: "a" });
});

test("the close of an old socket does not take the new one away", () => {
  const world = setup();
  world.news.listen("a", () => {});
  world.sockets[0].open();
  world.news.suspect();
  world.tick();
  world.sockets[1].open();
  world.sockets[0].dispatchEvent(new Event("close"));
  assert.equal(world.timers.length, 0);
  world.news.listen("b", () => {});
  assert.deepEqual(world.sockets[1].sent.at(-1), { listen: "b", confirm: "yes" });
  assert.equal(world.living().length, 1);
});

test("after a reconnection every topic is listened to again, and asked for again", async () => {
  const world = setup();
  let asked = 0;
  world.news.listen(
    "a",
    () => {},
    async () => {
      asked += 1;
      if (asked === 1) throw new Error("still away");
    },
  );
  world.sockets[0].open();
  world.sockets[0].close();
  world.tick();
  world.sockets[1].open();
  assert.deepEqual(world.sockets[1].sent, [{ listen: "a", confirm: "yes" }]);
  world.sockets[1].tell({ topic: "a", listening: true });
  world.sockets[1].tell({ topic: "a", listening: true });
  await new Promise(setImmediate);
  assert.equal(asked, 2);
});

test("a brief failure is not reported; an absence and the return are", () => {
  const world = setup();
  world.news.connect();
  world.sockets[0].open();
  world.sockets[0].close();
  world.tick();
  world.sockets[1].open();
  assert.deepEqual(world.events, []);
  world.sockets[1].close();
  world.tick();
  world.sockets[2].close();
  world.tick();
  world.sockets[3].close();
  assert.deepEqual(world.events, ["away"]);
  world.tick();
  world.sockets[4].open();
  assert.deepEqual(world.events, ["away", "back"]);
});

test("tries become rarer, up to a limit", () => {
  const world = setup();
  world.news.connect();
  const waits = [];
  for (let k = 0; k < 8; k++) {
    world.sockets.at(-1).close();
    waits.push(world.timers[0].wait);
    world.tick();
  }
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 8000, 8000, 8000]);
});

test("a request that does not arrive is an absence at once", () => {
  const world = setup();
  world.news.connect();
  world.sockets[0].open();
  world.news.suspect();
  assert.deepEqual(world.events, ["away"]);
  assert.equal(world.living().length, 0);
  world.tick();
  world.sockets[1].open();
  assert.deepEqual(world.events, ["away", "back"]);
});

test("a first request that does not arrive is repeated until the server answers", async () => {
  const world = setup();
  world.news.suspect();
  world.news.suspect();
  assert.deepEqual([world.events, world.timers.length], [["away"], 1]);
  for (const isThere of [false, false, true]) {
    world.answers = isThere;
    world.tick();
    await new Promise(setImmediate);
  }
  assert.deepEqual(world.events, ["away", "back"]);
  assert.deepEqual([world.timers.length, world.sockets.length], [0, 0], "who has no connection gets none by that");
});

test("whoever has entered is connected anew, without an absence", () => {
  const world = setup();
  world.news.listen("a", () => {});
  world.sockets[0].open();
  world.news.renew();
  world.sockets[1].open();
  assert.deepEqual(world.sockets[1].sent, [{ listen: "a", confirm: "yes" }]);
  assert.deepEqual([world.living().length, world.timers.length, world.events.length], [1, 0, 0]);
});

test("a job is drawn with its result, which is fetched when it has changed", async () => {
  const drawn = [];
  let take;
  let server = { id: "j", state: "running", done: 1, updated: 1, result_version: 1, result: "one" };
  let fetched = 0;
  const get = async () => {
    fetched += 1;
    return server;
  };
  const listen = (topic, news) => {
    assert.equal(topic, "job:j");
    take = news;
    return () => {};
  };
  followJob(server, (job) => drawn.push([job.done, job.result]), { get, listen });
  take({ job: { id: "j", state: "running", done: 2, updated: 2, result_version: 1 } });
  assert.deepEqual(drawn, [
    [1, "one"],
    [2, "one"],
  ]);
  assert.equal(fetched, 0);
  take({ job: { id: "j", state: "running", done: 0, updated: 1.5, result_version: 1 } });
  assert.equal(drawn.length, 2);
  take({ job: { id: "j", state: "running", done: 3, updated: 2, result_version: 1 } });
  assert.deepEqual(drawn.at(-1), [3, "one"], "what a job waits for changes without the job");
  server = { id: "j", state: "done", done: 9, updated: 9, result_version: 2, result: "two" };
  take({ job: { ...server, result: undefined } });
  await new Promise(setImmediate);
  assert.deepEqual(drawn.at(-1), [9, "two"]);
  assert.equal(fetched, 1);
});
