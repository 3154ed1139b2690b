// Watch: two players against each other, one game or many, at your pace.

import { get, listen, post } from "../api.js";
import { Board } from "../board.js";
import { formValues, h, replace, toast } from "../dom.js";

export const title = "Watch";

const PACES = [
  ["2", "slow"],
  ["0.7", "walking"],
  ["0.25", "quick"],
  ["0", "at once"],
];

export async function show(main) {
  const players = (await get("/api/players")).map((player) => player.name);
  const kept = {
    black: "smart",
    white: "perfect",
    count: "4",
    pace: "0.7",
    ...JSON.parse(localStorage.getItem("watch") ?? "{}"),
  };
  const stops = [];
  let round = 0; // counts the rounds of games that were begun; leaving the page ends the last
  let pace = Number(kept.pace);
  let paused = false;
  const field = (label, name, list) =>
    h("label", {}, h("span", {}, label), h("input", { name, list, value: kept[name], required: true, maxlength: 400 }));
  const grid = h("div", { class: "grid" });
  const tally = h("p", { role: "status" });
  const pause = h(
    "button",
    {
      type: "button",
      class: "quiet",
      onclick: () => {
        paused = !paused;
        pause.textContent = paused ? "Go on" : "Pause";
      },
    },
    "Pause",
  );
  const form = h(
    "form",
    { class: "card stack", onsubmit: begin },
    h("h1", {}, "Watch a game"),
    h(
      "div",
      { class: "choice" },
      field("Black", "black", "players"),
      field("White", "white", "players"),
      h(
        "label",
        {},
        h("span", {}, "Games"),
        h("input", { name: "count", type: "number", min: 1, max: 24, value: kept.count }),
      ),
      h(
        "label",
        {},
        h("span", {}, "Pace"),
        h(
          "select",
          {
            name: "pace",
            onchange: (event) => {
              pace = Number(event.target.value);
            },
          },
          PACES.map(([value, text]) => h("option", { value, selected: value === kept.pace }, text)),
        ),
      ),
    ),
    h(
      "datalist",
      { id: "players" },
      players.map((name) => h("option", { value: name })),
    ),
    h(
      "p",
      { class: "row" },
      h("button", {}, "Begin"),
      pause,
      h("small", {}, "Players change colours from game to game."),
    ),
  );
  replace(main, h("div", { class: "stack" }, form, tally, grid));

  async function begin(event) {
    event.preventDefault();
    const chosen = formValues(form);
    localStorage.setItem("watch", JSON.stringify(chosen));
    const mine = ++round;
    while (stops.length) stops.pop()();
    replace(grid);
    const ended = [];
    try {
      for (let k = 0; k < Number(chosen.count); k++) {
        const swapped = k % 2;
        const game = await post("/api/games", {
          black: swapped ? chosen.white : chosen.black,
          white: swapped ? chosen.black : chosen.white,
        });
        if (mine !== round) return;
        stops.push(
          showOne(game, (winner) => {
            ended.push(winner);
            const wins = (name) => ended.filter((one) => one === name).length;
            const names = [...new Set([game.black, game.white])];
            replace(tally, names.map((name) => `${name} ${wins(name)}`).join(" : "));
          }),
        );
      }
    } catch (error) {
      toast(error.message, "error");
    }
  }

  // One game: news arrives as fast as the players play, and is shown at the pace asked for.
  function showOne(first, onend) {
    let game = first;
    let ply = 0;
    let done = false;
    const board = new Board({
      size: game.rules.size,
      label: `${game.black} against ${game.white}`,
      coordinates: false,
    });
    const line = h("p", {});
    const card = h("article", { class: "card" }, board.element, line);
    grid.append(card);
    const stop = listen(
      `game:${first.id}`,
      (news) => take(news.game),
      async () => take(await get(`/api/games/${first.id}`)),
    );
    let timer = setTimeout(step, 100);
    draw();

    function take(next) {
      if (next.version >= game.version) game = next;
    }

    function draw() {
      board.show({ cells: game.boards[ply], last: game.moves[ply - 1] ?? null, ko: game.kos[ply] });
      const end = ply === game.moves.length && game.outcome;
      replace(
        line,
        h("span", { class: "disc small black" }),
        ` ${game.black}  `,
        h("span", { class: "disc small white" }),
        ` ${game.white}`,
        h("br"),
        end
          ? [`${game.outcome.text}. `, h("a", { href: `/review/${game.id}` }, "Review")]
          : game.trouble
            ? game.trouble
            : `move ${ply} of ${game.rules.max_moves}`,
      );
      if (end && !done) {
        done = true;
        onend(game.outcome.winner ? game[game.outcome.winner] : "tie");
      }
    }

    function step() {
      if (!paused) {
        const behind = game.moves.length - ply;
        if (behind > 0) ply = pace ? ply + 1 : game.moves.length;
        draw();
      }
      if (!done) timer = setTimeout(step, Math.max(60, pace * 1000));
    }

    return () => {
      stop();
      clearTimeout(timer);
    };
  }

  return () => {
    round += 1;
    stops.forEach((stop) => stop());
  };
}
