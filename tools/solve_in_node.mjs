// What the page's kernel says of positions: a JSON line {size, komi, length, question, moves} on stdin, an answer as that
// of `littlego solve --json` on stdout. Arguments: the folder of the pages' JavaScript, and the kernel's files.
import { createReadStream } from "node:fs";
import { argv, stdin, stdout } from "node:process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

const [, , host, ...paths] = argv;
const load = (name) => import(pathToFileURL(`${host}/${name}`).href);
const { Kernel } = await load("kernel.js");
const { serve } = await load("kernel/worker.js");
const { Position, editionRules } = await load("go/position.js");
const files = Object.fromEntries(paths.map((path) => [path.split(/[\\/]/).at(-1), path]));
const { port1, port2 } = new MessageChannel();
serve(port1, { open: async (name) => Readable.toWeb(createReadStream(files[name])) });
const kernel = new Kernel({ port: port2 });
const named = (winner) => winner && (winner === "tie" ? null : winner[0].toUpperCase() + winner.slice(1));

for await (const line of createInterface({ input: stdin })) {
  const { size, komi, length, question, moves } = JSON.parse(line);
  const start = new Position({ ...editionRules("2025", size), komi, max_moves: length });
  const position = moves.reduce((place, move) => place.play(move), start);
  const leads = question === "margins";
  const found = { winner: named(await kernel.value(position)), winning_move: await kernel.winningMove(position) };
  if (leads) found.margin = await kernel.margin(position);
  if (question !== "winner") {
    const { values, leads: ahead } = await kernel.values(position, { leads });
    const sign = position.toMove === "black" ? 1 : -1;
    found.moves = Object.entries(values).map(([move, winner]) => ({
      move,
      winner: named(winner),
      ...(leads && { margin: sign * ahead[move] + komi }),
    }));
  }
  stdout.write(`${JSON.stringify(found)}\n`);
}
port1.close();
port2.close();
