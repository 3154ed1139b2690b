// Answers of kernel.wasm in node: a JSON list of questions on stdin, their answers and the nodes searched on stdout.
import { readFileSync } from "node:fs";
import { argv, stdin, stdout } from "node:process";
import { pathToFileURL } from "node:url";

const [, , host, wasm, size] = argv;
const { Kernel } = await import(pathToFileURL(host).href);
let text = "";
for await (const chunk of stdin) text += chunk;
const kernel = await Kernel.load(readFileSync(wasm), { size: Number(size) });
const answers = JSON.parse(text).map(({ spot, target }) =>
  target === null ? kernel.margin(spot) : kernel.reaches(spot, target),
);
stdout.write(JSON.stringify({ answers, nodes: kernel.nodes }));
