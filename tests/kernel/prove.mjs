// A proof in the worker: it tells how far it is, waits while it is held, goes on, and ends with the values of all moves.
import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { argv, stdin, stdout } from "node:process";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

const [, , host, wasm, guess] = argv;
const load = (name) => import(pathToFileURL(`${host}/${name}`).href);
const { Kernel } = await load("kernel.js");
const { serve } = await load("kernel/worker.js");
const { Position } = await load("go/position.js");
const { openingsOf } = await load("kernel/proof.js");

const files = { "kernel.wasm": wasm, "guess.bin": guess };
const { port1, port2 } = new MessageChannel();
// The atlas is no file here: whoever asks for it fails.
serve(port1, { open: async (name) => Readable.toWeb(createReadStream(files[name])) });
const kernel = new Kernel({ port: port2 });

let text = "";
for await (const chunk of stdin) text += chunk;
const position = ({ rules, ...facts }) => new Position(rules, facts);
const { long, short } = JSON.parse(text);

const winners = ({ openings }) => openings.flatMap(({ images, winner }) => images.map((move) => [move, winner]));
const answers = [];
for (const one of short) {
  const told = await kernel.prove(position(one)).done;
  answers.push({ values: Object.fromEntries(winners(told)), value: told.value, openings: told.openings.length });
}

const tellings = [];
let wake = () => {};
const proof = kernel.prove(position(long), { take: (told) => (tellings.push(told), wake()) });
const more = () => new Promise((resolve) => (wake = resolve));
await more(); // it has begun
proof.hold(true);
// Messages come in order: what this answer needs has been done after the hold, and nothing of the proof since then.
await kernel.value(position(short[0]), { known: true });
const before = tellings.length;
for (let k = 0; k < 5; k++) await kernel.value(position(short[0]), { known: true });
assert.equal(tellings.length, before, "it goes on although it is held");
proof.hold(false);
const told = await proof.done;
assert.ok(tellings.length > before, "nothing was told after it went on");
for (let k = 1; k < tellings.length; k++) assert.ok(tellings[k].nodes >= tellings[k - 1].nodes);
assert.ok(told.nodes > tellings[0].nodes && told.share === 1 && told.seconds > 0);
answers.push({ values: Object.fromEntries(winners(told)), value: told.value, openings: told.openings.length });

const stopping = new AbortController();
const stopped = kernel.prove(position(long), { signal: stopping.signal });
stopped.hold(true);
stopping.abort(new Error("enough"));
await assert.rejects(stopped.done, /enough/);
assert.equal(openingsOf(position(long)).flatMap(({ images }) => images).length, winners(told).length);
port1.close();
port2.close();
stdout.write(JSON.stringify(answers));
