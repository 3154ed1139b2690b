// Learners trained by kernel.wasm in node, and what they and the truth say: as JSON on stdout.
import { readFileSync } from "node:fs";
import { argv, stdin, stdout } from "node:process";
import { pathToFileURL } from "node:url";

const [, , host, wasm] = argv;
const load = (name) => import(pathToFileURL(`${host}/${name}`).href);
const { compile } = await load("kernel/engine.js");
const { Training } = await load("kernel/training.js");
const { TicTacToe, expectation, mistakesOf, valueOf } = await load("kernel/tictactoe.js");
const { Position } = await load("go/position.js");
let text = "";
for await (const chunk of stdin) text += chunk;
const { settings, state, positions, toe } = JSON.parse(text);
const code = await compile(readFileSync(wasm));

const learner = new Training(code, settings);
const word = () => new BigUint64Array(learner.heap.memory.buffer, learner.state, 1);
word()[0] = BigInt(state);
while (!learner.done) learner.advance();
const values = positions.map(({ rules, ...facts }) => {
  const position = new Position(rules, facts);
  return Object.fromEntries(position.legalMoves().map((move) => [move, learner.valueAfter(position, move)]));
});

const pupil = new TicTacToe(code, toe);
const tellings = [];
while (!pupil.done) if (pupil.advance()) tellings.push(pupil.measure());
stdout.write(
  JSON.stringify({
    values,
    state: String(word()[0]),
    measure: learner.measure(),
    tellings,
    choices: Object.fromEntries([0, 1, 3 ** 4, 2 * 3 ** 8 + 1].map((code) => [code, pupil.choice(code)])),
    truths: Object.fromEntries([0, 1, 3 ** 4, 1 + 2 * 3 ** 4].map((code) => [code, valueOf(code)])),
    expected: [1, 2].map((side) => expectation(side)(side === 1 ? 0 : 1)),
    first: mistakesOf((code) => pupil.choice(code), 1),
  }),
);
