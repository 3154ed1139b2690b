// Reads games as texts (SGF or JSON) from the standard input, reviews them in the kernel's worker, and writes what pages
// show of each. The arguments are the kernel's files.
import { createReadStream, readFileSync } from "node:fs";
import { Readable } from "node:stream";

const JS = "../../../../src/littlego/apps/web/static/js";
const { gameOfText, positionAt, sgfOf } = await import(`${JS}/go/game.js`);
const { GameReview, lineOf } = await import(`${JS}/go/review.js`);
const { Kernel } = await import(`${JS}/kernel.js`);
const { serve } = await import(`${JS}/kernel/worker.js`);

const files = Object.fromEntries(process.argv.slice(2).map((path) => [path.split(/[\\/]/).at(-1), path]));
const { port1, port2 } = new MessageChannel();
serve(port1, { open: async (name) => /** @type {any} */ (Readable.toWeb(createReadStream(files[name]))) });
const kernel = new Kernel({ port: port2 });

const answers = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  const game = gameOfText(text);
  const review = new GameReview(game, kernel);
  await review.work();
  const told = review.told();
  const losing = told.moves.findIndex((move) => move.verdict === "the_losing_move" && move.after !== "tie");
  const line = losing < 0 ? [] : await lineOf(positionAt(game, losing + 1), kernel, { most: 100 });
  answers.push({ ...told, line: line.map(({ move }) => move), sgf: sgfOf(game) });
}
console.log(JSON.stringify(answers));
port1.close();
port2.close();
