// Watch: two players against each other, one game or many, at your pace; a click reviews one. The address names the players
// and the seed: whoever opens it sees the same games.

import { here, rename } from "../address.js";
import { button, h, labelled, onKeys, onSubmit, replace, select } from "../dom.js";
import { PLAYERS } from "../data.js";
import { addressOf, drawn, makeGame } from "../go/game.js";
import { newSeed } from "./game.js";
import { offers } from "../server/api.js";
import { Watched } from "../watch/watched.js";

export const title = "Watch";

const MOST = 24;
const SHORTEST = 60; // milliseconds between two looks at the games
const PACES = [
  ["2", "slow"],
  ["0.7", "normal"],
  ["0.25", "fast"],
  ["0", "as fast as they play"],
];

export async function show(main, _rest, { go }) {
  const asked = here().query;
  const kept = {
    black: "smart",
    white: "perfect",
    count: "4",
    pace: "0.7",
    ...JSON.parse(localStorage.getItem("watch") ?? "{}"),
    ...(asked.has("b") && { black: asked.get("b"), white: asked.get("w") ?? "perfect", count: asked.get("c") ?? "1" }),
  };
  let seed = Number.parseInt(asked.get("s") ?? "0", 36) || newSeed();
  let shown = []; // the games on the page
  let paused = false;
  const grid = h("div", { class: "grid" });
  const tally = h("p", { role: "status" });
  const pause = button(["Pause", " ", h("kbd", {}, "space")], "quiet", () => setPaused(!paused));
  const paces = select({ name: "pace", "aria-label": "Pace", onchange: keepPace }, PACES, kept.pace);
  const names = PLAYERS.map((player) => player.name);
  const form = h("form", { class: "card stack", onsubmit: onSubmit(begin), onchange: showOthers }, [
    h("h1", {}, "Watch a game"),
    h("details", {}, [
      h("summary", {}, "Players"),
      h("div", { class: "choice" }, [
        playerField("Black", "black", names, kept.black),
        playerField("White", "white", names, kept.white),
        labelled("Games", h("input", { name: "count", type: "number", min: 1, max: MOST, value: kept.count })),
      ]),
      h("p", { class: "row" }, [
        h("button", {}, "Start"),
        h("small", {}, "The players swap colours after each game. The address keeps what is watched."),
      ]),
    ]),
    h("div", { class: "row" }, [pause, h("span", { class: "row" }, paces)]),
    keyHelp(),
  ]);
  replace(main, h("div", { class: "stack" }, form, tally, grid));
  const stopKeys = onKeys(actionOf);
  grid.addEventListener("click", keepPlaces, true);
  offers("agents").then((found) => {
    for (const name of found ? ["black", "white"] : [])
      form.elements[name].append(h("option", { value: "" }, "another…"));
  });
  start(history.state?.plies);
  let timer = setTimeout(advance, SHORTEST);

  function showOthers() {
    for (const name of ["black", "white"])
      form.elements[`${name}-other`].classList.toggle("hidden", form.elements[name].value !== "");
  }

  function keepPace() {
    localStorage.setItem("watch", JSON.stringify({ ...kept, pace: paces.value }));
  }

  function begin(chosen) {
    const black = chosen.black || chosen["black-other"].trim();
    const white = chosen.white || chosen["white-other"].trim();
    Object.assign(kept, { black, white, count: chosen.count, pace: chosen.pace });
    keepPace();
    seed = newSeed();
    start();
  }

  // All games from the seed: the same ones whenever the address is opened. `plies` is what was shown of them before.
  function start(plies = []) {
    clear();
    const { black, white } = kept;
    const unknown = [black, white].find((name) => !names.includes(name) && !name.startsWith("agent:"));
    form.querySelector("details").open = Boolean(unknown);
    if (unknown) {
      replace(tally, h("span", { class: "bad" }, `There is no player “${unknown}”: choose another.`));
      return;
    }
    for (let k = 0; k < Math.min(MOST, Number(kept.count) || 1); k++) {
      const [first, second] = k % 2 ? [white, black] : [black, white];
      add(drawn(makeGame({ seats: { black: first, white: second }, seed: (seed + k) % 2 ** 32 })));
    }
    rename(`/watch?${new URLSearchParams({ b: black, w: white, c: String(shown.length), s: seed.toString(36) })}`, {
      plies,
    });
    plies.forEach((ply, k) => shown[k]?.returnTo(ply));
  }

  function add(game) {
    const review = () => go(addressOf("review", one.game, { at: one.ply }));
    const one = new Watched(game, { onscrub: () => setPaused(true), onpick: review, onend: drawTally });
    shown.push(one);
    grid.append(one.element);
  }

  // Back from a review the games are where they were.
  function keepPlaces() {
    rename(here().whole, { plies: shown.map(({ ply }) => ply) });
  }

  function clear() {
    shown.forEach((one) => one.stop());
    shown = [];
    replace(grid);
    replace(tally);
    setPaused(false);
  }

  function setPaused(on) {
    paused = on;
    replace(pause, paused ? "Resume" : "Pause", " ", h("kbd", {}, "space"));
  }

  function advance() {
    const pace = Number(paces.value);
    if (!paused) for (const one of shown) if (!one.isAtEnd) one.look(pace ? one.ply + 1 : Infinity);
    timer = setTimeout(advance, Math.max(SHORTEST, pace * 1000));
  }

  function drawTally() {
    const ended = shown.map((one) => one.winner).filter(Boolean);
    const seated = [...new Set(shown.flatMap((one) => one.names))];
    const wins = (name) => ended.filter((one) => one === name).length;
    replace(tally, ended.length > 0 && seated.map((name) => `${name} ${wins(name)}`).join(" : "));
  }

  function actionOf(key) {
    const faster = (by) => () => {
      paces.selectedIndex = Math.max(0, Math.min(PACES.length - 1, paces.selectedIndex + by));
      keepPace();
    };
    const step = (by) => () => {
      setPaused(true);
      shown.forEach((one) => one.look(one.ply + by));
    };
    const pausing = () => setPaused(!paused);
    return {
      " ": pausing,
      "+": faster(1),
      "-": faster(-1),
      "−": faster(-1),
      ArrowLeft: step(-1),
      ArrowRight: step(1),
    }[key];
  }

  return () => {
    clearTimeout(timer);
    shown.forEach((one) => one.stop());
    stopKeys();
  };
}

function playerField(label, name, names, chosen) {
  const choices = [...new Set([...names, chosen])].map((value) => [value, value]);
  const other = h("input", {
    name: `${name}-other`,
    class: "hidden",
    "aria-label": "Another player",
    placeholder: "agent:ID",
    maxlength: 400,
  });
  return labelled(label, select({ name }, choices, chosen), other);
}

const keyHelp = () =>
  h("p", { class: "keys" }, [
    [
      h("kbd", {}, "←"),
      " and ",
      h("kbd", {}, "→"),
      " step, ",
      h("kbd", {}, "space"),
      " pauses, ",
      h("kbd", {}, "+"),
      " and ",
      h("kbd", {}, "−"),
      " change the pace",
    ],
  ]);
