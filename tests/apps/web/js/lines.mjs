// Reads lines (rules, start, moves) as JSON from the standard input and writes how the page describes them.
import { readFileSync } from "node:fs";
import { Position, describe } from "../../../../src/littlego/apps/web/static/js/go/position.js";

const lines = JSON.parse(readFileSync(0, "utf8"));
const answers = lines.map(({ rules, moves, ...about }) => describe(new Position(rules), moves, about));
console.log(JSON.stringify(answers));
