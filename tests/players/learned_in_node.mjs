// What the players with learned values make of positions, JSON on stdin: for each its moves, their values at a glance and
// planned, and each player's choices. The other arguments are the kernel's files.
import { readFile } from "node:fs/promises";
import { argv, stdin, stdout } from "node:process";
import { pathToFileURL } from "node:url";

const [, , host, ...paths] = argv;
const load = (name) => import(pathToFileURL(`${host}/${name}`).href);
const { compile } = await load("kernel/engine.js");
const { learnedModel } = await load("kernel/data.js");
const { LEARNED, Learned, MODELS, choices } = await load("kernel/learned.js");
const { Position } = await load("go/position.js");
const read = (name) => readFile(paths.find((path) => path.split(/[\\/]/).at(-1) === name));
let text = "";
for await (const chunk of stdin) text += chunk;

const code = await compile(await read("kernel.wasm"));
const asked = JSON.parse(text);
const { rules } = asked[0];
const learned = new Learned(code, await learnedModel(new Blob([await read(MODELS[rules.size])]).stream()), rules);
const answers = asked.map((facts) => {
  const position = new Position(facts.rules, facts);
  const moves = position.legalMoves();
  return {
    glance: Object.fromEntries(moves.map((move) => [move, learned.valueAfter(position, move)])),
    planned: Object.fromEntries(moves.map((move) => [move, learned.plannedAfter(position, move)])),
    choices: Object.fromEntries(Object.keys(LEARNED).map((name) => [name, choices(name, position, learned)])),
  };
});
stdout.write(JSON.stringify(answers));
