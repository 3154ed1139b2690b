// Answers of kernel.wasm in node: a JSON list of questions on stdin, their answers and the nodes searched on stdout.
import { readFileSync } from "node:fs";
import { argv, stdin, stdout } from "node:process";
import { pathToFileURL } from "node:url";

const [, , host, wasm, size] = argv;
const { Engine, compile } = await import(pathToFileURL(`${host}/kernel/engine.js`).href);
const { Oracle } = await import(pathToFileURL(`${host}/kernel/oracle.js`).href);
const { Position } = await import(pathToFileURL(`${host}/go/position.js`).href);
let text = "";
for await (const chunk of stdin) text += chunk;
const engine = new Engine(await compile(readFileSync(wasm)), { size: Number(size) });
const oracle = new Oracle(() => engine);
const answers = [];
for (const { spot, target, position } of JSON.parse(text)) {
  if (spot) answers.push(await engine.reaches(spot, target));
  else answers.push(await oracle.values(new Position(position.rules, position), { leads: true }).catch(String));
}
stdout.write(JSON.stringify({ answers, nodes: engine.nodes }));
