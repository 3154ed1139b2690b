// The worker's answers to a page, in one process: progress, stops, urgency, and what cannot be answered.
import assert from "node:assert/strict";
import { createReadStream, readFileSync } from "node:fs";
import { argv, stdout } from "node:process";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

const [, , host, ...paths] = argv;
const load = (name) => import(pathToFileURL(`${host}/${name}`).href);
const { Kernel } = await load("kernel.js");
const { serve } = await load("kernel/worker.js");
const { Position, editionRules } = await load("go/position.js");

const files = Object.fromEntries(paths.map((path) => [path.split(/[\\/]/).at(-1), path]));
const stream = (name) => Readable.toWeb(createReadStream(files[name]));
const ports = [];

/** A kernel whose files come from `open`. */
function kernel(open = async (name) => stream(name), options = {}) {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  serve(port1, { open, ...options });
  return new Kernel({ port: port2 });
}

const start = new Position(editionRules());
const after = (...moves) => moves.reduce((position, move) => position.play(move), start);
const middle = after("2,2", "1,1", "1,2", "2,1", "3,1", "3,2", "0,1", "1,0", "2,0");
const late = after(..."2,2 1,1 1,2 2,1 3,1 3,2 0,1 1,0 2,0 3,0 4,1 4,0 3,3 0,0 2,3 4,2".split(" "));

// The opening is told before the rest of the atlas has come, and again when it has.
let rest;
const slow = kernel(async (name) => {
  if (name !== "atlas.bin") return stream(name);
  const bytes = readFileSync(files[name]);
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(bytes.subarray(0, 50_000)));
      rest = () => (controller.enqueue(new Uint8Array(bytes.subarray(50_000))), controller.close());
    },
  });
});
const opening = await slow.values(start);
assert.equal(opening.value, "black");
assert.deepEqual(
  Object.keys(opening.values).filter((move) => opening.values[move] === "black"),
  ["2,2"],
);
assert.equal(opening.words, "1 of 26 moves keeps the win.");
assert.equal((await slow.values(after("2,2", "1,1", "1,2"))).state, "settled");
rest();
assert.equal((await slow.values(middle)).state, "settled");

// Without the atlas it searches; an urgent question overtakes, a stopped one is silent.
const lone = kernel(async (name) => (name === "kernel.wasm" ? stream(name) : Promise.reject(new Error("offline"))));
console.warn = () => {};
const told = [];
const stopping = new AbortController();
const long = lone.values(after("2,2", "1,1", "1,2"), { take: (answer) => told.push(answer), signal: stopping.signal });
const quick = await lone.values(late, { leads: true });
assert.equal(quick.state, "settled");
assert.equal(Object.keys(quick.leads).length, Object.keys(quick.values).length);
stopping.abort(new Error("enough"));
await assert.rejects(long, /enough/);
const silent = told.length;
assert.equal((await lone.values(late)).state, "settled");
assert.equal(told.length, silent);

// What cannot be solved is refused with the reason, and a broken file is no answer.
const big = new Position(editionRules("2025", 7));
await assert.rejects(
  slow.values(big),
  (error) => error.isUse && /a 7x7 board is too large to solve/.test(error.message),
);
const old = new Position(editionRules("2019"));
await assert.rejects(slow.values(old), (error) => error.isUse && /forbid every earlier board/.test(error.message));
const broken = kernel(async () => new Blob(["<html>"]).stream());
await assert.rejects(
  broken.values(late),
  (error) => !error.isUse && /kernel.wasm: expected WebAssembly/.test(error.message),
);

// A file that is missing, cut off, without its description or of another version; memory that cannot be had.
const whole = readFileSync(files["kernel.wasm"]);
const renamed = Buffer.from(whole.toString("latin1").replace("layout.no_group", "layout.no_crowd"), "latin1");
const opened = (bytes) =>
  kernel(async (name) => (name === "kernel.wasm" ? new Blob([bytes]).stream() : stream(name))).choose("learner", start);
const missing = kernel(async (name) => Promise.reject(new Error(`${name} cannot be fetched: 404`)));
await assert.rejects(missing.values(late), /kernel.wasm cannot be fetched: 404/);
await assert.rejects(opened(whole.subarray(0, whole.length / 2)), /kernel.wasm: expected WebAssembly/);
await assert.rejects(opened(whole.subarray(0, 8)), /kernel.wasm: expected a section 'littlego' at its end/);
await assert.rejects(opened(renamed), /kernel.wasm belongs to another version of littlego: load the page again/);
const { Heap, compile } = await load("kernel/engine.js");
const compiled = await compile(whole);
assert.throws(() => new Heap(compiled, 2 ** 40), /no memory for the solver: close other pages/);
assert.throws(
  () => new Heap(compiled, 2 ** 25).reach(2 ** 26),
  /no memory for the solver: 64 MiB are more than there is/,
);
// A game that no model is for is played as in Python, by those who play it for them.
const odd = new Position({ ...editionRules("2025", 6), komi: 1 });
assert.equal(await slow.choose("champion", odd), await slow.choose("alphabeta", odd));
assert.equal(await slow.choose("learner", odd, { seed: 3 }), await slow.choose("qlearning", odd, { seed: 3 }));
await assert.rejects(
  slow.choose("perfect", big),
  (error) => error.isUse && /perfect player cannot play this/.test(error.message),
);

ports.forEach((port) => port.close());
stdout.write("true");
