// Games between players in node: rules and seats, JSON on stdin; the moves of each game on stdout. The other arguments
// are the kernel's files.
import { createReadStream } from "node:fs";
import { argv, stdin, stdout } from "node:process";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

const [, , host, ...paths] = argv;
const load = (name) => import(pathToFileURL(`${host}/${name}`).href);
const { Kernel } = await load("kernel.js");
const { serve } = await load("kernel/worker.js");
const { Position } = await load("go/position.js");
const files = Object.fromEntries(paths.map((path) => [path.split(/[\\/]/).at(-1), path]));
let text = "";
for await (const chunk of stdin) text += chunk;

const { port1, port2 } = new MessageChannel();
serve(port1, { open: async (name) => Readable.toWeb(createReadStream(files[name])) });
const kernel = new Kernel({ port: port2 });

/** A whole game between two players by name and seed, after an opening at random. */
async function game({ rules, black, white, opening }) {
  let position = new Position(rules);
  const moves = [];
  while (!position.outcome()) {
    const [name, seed] = position.toMove === "black" ? black : white;
    moves.push(await kernel.choose(position.played < opening ? "random" : name, position, { seed }));
    position = position.play(moves.at(-1));
  }
  return moves;
}

const games = [];
for (const asked of JSON.parse(text)) games.push(await game(asked));
port1.close();
port2.close();
stdout.write(JSON.stringify(games));
