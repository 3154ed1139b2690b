// Digests of the atlas and the guess as the page reads them, as JSON on stdout.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { argv, stdout } from "node:process";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

const [, , host, atlas, guess] = argv;
const { guessWeights, layers } = await import(pathToFileURL(`${host}/kernel/data.js`).href);
const open = (path) => Readable.toWeb(createReadStream(path));
const [keys, values] = [createHash("sha256"), createHash("sha256")];
const lefts = [];
for await (const layer of layers(open(atlas))) {
  lefts.push(layer.left);
  keys.update(layer.keys);
  values.update(layer.values);
}
const weights = createHash("sha256").update(await guessWeights(open(guess)));
stdout.write(
  JSON.stringify({ layers: lefts, atlas: [keys.digest("hex"), values.digest("hex")], guess: weights.digest("hex") }),
);
