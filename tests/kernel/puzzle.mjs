// Puzzles played through in node, by a solver that always finds a winning move: on stdout each line of moves.
import { createReadStream } from "node:fs";
import { argv, stdout } from "node:process";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

const [, , host, wasm, least, most] = argv;
const load = (name) => import(pathToFileURL(`${host}/${name}`).href);
const { Kernel } = await load("kernel.js");
const { serve } = await load("kernel/worker.js");
const { PUZZLES } = await load("data.js");
const { placeOf } = await load("kernel/training.js");
const { resistance } = await load("go/puzzle.js");

const { port1, port2 } = new MessageChannel();
const open = async () => Readable.toWeb(createReadStream(wasm));
serve(port1, { open });
const kernel = new Kernel({ port: port2 });
const lines = [];
for (const { moves, answer } of PUZZLES) {
  const start = placeOf(moves);
  if (start.left < Number(least) || start.left > Number(most)) continue;
  let position = start.play(answer);
  const line = [answer];
  for (let found = 1; ; found++) {
    const reply = await resistance(position, found, kernel);
    if (!reply) break;
    position = position.play(reply);
    const move = await kernel.winningMove(position);
    position = position.play(move);
    line.push(reply, move);
  }
  lines.push({ moves, line });
}
port1.close();
port2.close();
stdout.write(JSON.stringify(lines));
