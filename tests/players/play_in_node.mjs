// Games between players in node as the pages play them: rules, seats, a seed and opening moves, JSON on stdin; the moves of
// each game on stdout. The other arguments are the kernel's files.
import { createReadStream } from "node:fs";
import { argv, stdin, stdout } from "node:process";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

const [, , host, ...paths] = argv;
const load = (name) => import(pathToFileURL(`${host}/${name}`).href);
const { serve } = await load("kernel/worker.js");
const { makeGame, positionAt } = await load("go/game.js");
const { chosenMove, kernel } = await load("thinking.js");
const files = Object.fromEntries(paths.map((path) => [path.split(/[\\/]/).at(-1), path]));
let text = "";
for await (const chunk of stdin) text += chunk;

const { port1, port2 } = new MessageChannel();
serve(port1, { open: async (name) => Readable.toWeb(createReadStream(files[name])) });
kernel.given = port2;

const games = [];
for (const { rules, black, white, seed, opening } of JSON.parse(text)) {
  let game = makeGame({ rules, seats: { black, white }, moves: opening, seed });
  while (!positionAt(game).outcome()) {
    const { move } = await chosenMove(game, positionAt(game));
    game = { ...game, moves: [...game.moves, move] };
  }
  games.push(game.moves);
}
port1.close();
port2.close();
stdout.write(JSON.stringify(games));
