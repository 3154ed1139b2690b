// Watch: two players against each other, one game or many, at your pace.

import { followGame, get, post } from "../api.js";
import { Board } from "../board.js";
import { button, h, labelled, onSubmit, replace, select } from "../dom.js";

export const title = "Watch";

const PACES = [
  ["2", "slow"],
  ["0.7", "normal"],
  ["0.25", "fast"],
  ["0", "as fast as they play"],
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
  let round = 0; // grows when other games are started or the page is left: what still runs for an earlier round ends
  let pace = Number(kept.pace);
  let paused = false;
  const player = (label, name) =>
    labelled(label, h("input", { name, list: "players", value: kept[name], required: true, maxlength: 400 }));
  const grid = h("div", { class: "grid" });
  const tally = h("p", { role: "status" });
  const pause = button("Pause", "quiet", () => {
    paused = !paused;
    pause.textContent = paused ? "Resume" : "Pause";
  });
  const changePace = (event) => (pace = Number(event.target.value));
  const form = h("form", { class: "card stack", onsubmit: onSubmit(begin) }, [
    h("h1", {}, "Watch a game"),
    h("div", { class: "choice" }, [
      player("Black", "black"),
      player("White", "white"),
      labelled("Games", h("input", { name: "count", type: "number", min: 1, max: 24, value: kept.count })),
      labelled("Pace", select({ name: "pace", onchange: changePace }, PACES, kept.pace)),
    ]),
    h("datalist", { id: "players" }, [players.map((name) => h("option", { value: name }))]),
    h("p", { class: "row" }, [
      h("button", {}, "Start"),
      pause,
      h("small", {}, "The players swap colours after each game."),
    ]),
  ]);
  replace(main, h("div", { class: "stack" }, form, tally, grid));

  async function begin(chosen) {
    localStorage.setItem("watch", JSON.stringify(chosen));
    const mine = ++round;
    while (stops.length) stops.pop()();
    replace(grid);
    const winners = [];
    for (let k = 0; k < Number(chosen.count); k++) {
      const [black, white] = k % 2 ? [chosen.white, chosen.black] : [chosen.black, chosen.white];
      const game = await post("/api/games", { black, white });
      if (mine !== round) return;
      const onend = (winner) => {
        winners.push(winner);
        const wins = (name) => winners.filter((one) => one === name).length;
        const names = [...new Set([game.black, game.white])];
        replace(tally, names.map((name) => `${name} ${wins(name)}`).join(" : "));
      };
      stops.push(showOne(game, onend));
    }
  }

  // One game: moves arrive as fast as the players play, and are shown at the chosen pace.
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
    const stop = followGame(first.id, take);
    let timer = setTimeout(step, 100);
    draw();

    function take(next) {
      if (next.version >= game.version) game = next;
    }

    function draw() {
      board.showGame(game, { ply });
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
          : game.trouble || `move ${ply} of ${game.rules.max_moves}`,
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
