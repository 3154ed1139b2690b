// Plays with our engine as Sabaki does, by the package that Sabaki itself uses, and prints what it understood.
import gtp from "@sabaki/gtp";

const [command, ...args] = process.argv.slice(2);
const controller = new gtp.Controller(command, args);
const tracker = new gtp.ControllerStateTracker(controller);
const stray = [];
controller.on("response-received", ({ response }) => stray.push(response.error));
controller.start();

const ask = (name, ...words) => controller.sendCommand({ name, args: words });
const found = { name: (await ask("name")).content };

await tracker.sync({
  boardsize: [5, 5],
  komi: 2.5,
  history: [
    { name: "play", args: ["B", "C3"] },
    { name: "play", args: ["W", "D3"] },
    { name: "play", args: ["B", "C4"] },
  ],
});
found.move = (await ask("genmove", "W")).content;
found.history = tracker.state.history;
// Going back and trying another line, as when somebody clicks through a game.
await tracker.sync({
  boardsize: [5, 5],
  komi: 2.5,
  history: [
    { name: "play", args: ["B", "C3"] },
    { name: "play", args: ["W", "C2"] },
  ],
});
found.other = tracker.state.history;
found.analysers = [];
for (const name of ["analyze", "lz-analyze", "kata-analyze"])
  if (await tracker.knowsCommand(name)) found.analysers.push(name);
found.lines = await new Promise((resolve) => {
  controller.sendCommand({ name: "lz-analyze", args: ["B", "10"] }, ({ line }) => {
    if (line.startsWith("info ")) resolve(line);
  });
});
await ask("name"); // ends the analysis
found.errors = stray.filter(Boolean).length;
await controller.stop();
console.log(JSON.stringify(found));
