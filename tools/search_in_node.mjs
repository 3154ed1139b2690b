// CPU seconds and nodes that the page's kernel takes for questions, a JSON list of {spot, target} on stdin, each with a
// table of its own. Arguments: the folder of the pages' JavaScript, kernel.wasm and guess.bin.
import { createReadStream, readFileSync } from "node:fs";
import { argv, cpuUsage, stdin, stdout } from "node:process";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

const [, , host, wasm, guess] = argv;
const { Engine, compile } = await import(pathToFileURL(`${host}/kernel/engine.js`).href);
const { guessWeights } = await import(pathToFileURL(`${host}/kernel/data.js`).href);
let text = "";
for await (const chunk of stdin) text += chunk;
const compiled = await compile(readFileSync(wasm));
const weights = await guessWeights(Readable.toWeb(createReadStream(guess)));
let [micros, nodes] = [0, 0];
for (const { spot, target } of JSON.parse(text)) {
  const engine = new Engine(compiled);
  engine.learnGuess(weights);
  const began = cpuUsage();
  await engine.reaches({ ...spot, ko: spot.ko < 0 ? null : spot.ko }, target);
  const { user, system } = cpuUsage(began);
  micros += user + system;
  nodes += engine.nodes;
}
stdout.write(JSON.stringify([micros / 1e6, nodes]));
