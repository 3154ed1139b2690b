// Watch: two players against each other, one game or many, at your pace, any of them on the analysis board. The address
// names the players, the seed and the place that is analysed: whoever opens it sees the same games.

import { here, rename } from "../address.js";
import { attempt, button, h, labelled, onKeys, onSubmit, replace, select, showError } from "../dom.js";
import { PLAYERS } from "../data.js";
import { drawn, makeGame, movesOf } from "../go/game.js";
import { newSeed } from "./game.js";
import { Panel } from "../watch/panel.js";
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
  let panel = null; // the one on the analysis board
  let paused = false;
  const grid = h("div", { class: "grid" });
  const place = h("div", { class: "place" });
  const tally = h("p", { role: "status" });
  const pause = button(["Pause", " ", h("kbd", {}, "space")], "quiet", () => setPaused(!paused));
  const paces = select({ name: "pace", "aria-label": "Pace", onchange: keepPace }, PACES, kept.pace);
  pause.disabled = true;
  const names = PLAYERS.map((player) => player.name);
  const form = h("form", { class: "card stack", onsubmit: onSubmit(begin), onchange: showOthers }, [
    h("h1", {}, "Watch a game"),
    h("details", { open: !asked.has("b") }, [
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
  replace(main, h("div", { class: "stack" }, form, tally, place, grid));
  const stopKeys = onKeys(actionOf);
  if (asked.has("b")) await watchAll();
  let timer = setTimeout(advance, SHORTEST);

  function showOthers() {
    for (const name of ["black", "white"])
      form.elements[`${name}-other`].classList.toggle("hidden", form.elements[name].value !== "");
  }

  function keepPace() {
    localStorage.setItem("watch", JSON.stringify({ ...kept, pace: paces.value }));
  }

  async function begin(chosen) {
    const black = chosen.black || chosen["black-other"].trim();
    const white = chosen.white || chosen["white-other"].trim();
    Object.assign(kept, { black, white, count: chosen.count, pace: chosen.pace });
    keepPace();
    seed = newSeed();
    start();
    await openTheOnly();
  }

  // All games from the seed: the same ones whenever the address is opened.
  function start() {
    clear();
    form.querySelector("details").open = false; // the boards are what people want to see now
    const { black, white } = kept;
    for (let k = 0; k < Math.min(MOST, Number(kept.count) || 1); k++) {
      const [first, second] = k % 2 ? [white, black] : [black, white];
      add(drawn(makeGame({ seats: { black: first, white: second }, seed: (seed + k) % 2 ** 32 })));
    }
    keepAddress();
  }

  // The games of the address, and the place in one of them.
  async function watchAll() {
    start();
    const chosen = shown[Number(asked.get("game") ?? 0) - 1];
    if (!chosen) return openTheOnly();
    hideOnly();
    let line = [];
    try {
      line = movesOf(asked.get("line") ?? "");
    } catch (error) {
      showError(error);
    }
    if (asked.has("at")) {
      setPaused(true);
      await chosen.reaches(Number(asked.get("at")) || 0);
      chosen.look(Number(asked.get("at")) || 0);
    }
    return open(chosen, line);
  }

  function add(game) {
    const one = new Watched(game, {
      onlook: (changed) => panel?.watched === changed && panel.follow(),
      onscrub: () => setPaused(true),
      onpick: () => attempt(() => open(one, [], true)),
      onend: drawTally,
    });
    shown.push(one);
    grid.append(one.element);
  }

  async function openTheOnly() {
    if (hideOnly()) await open(shown[0], []);
  }

  // A single game is on the analysis board, and needs no small one.
  function hideOnly() {
    return grid.classList.toggle("hidden", shown.length === 1);
  }

  async function open(one, line, isWished = false) {
    close();
    const mine = new Panel(one, {
      line,
      go,
      pause: () => setPaused(true),
      ondraw: keepAddress,
      close: shown.length > 1 && close,
    });
    panel = mine;
    one.choose(true);
    mine.speak(paused);
    replace(place, mine.element);
    try {
      await mine.begin();
    } catch (error) {
      showError(error); // the address has moves that cannot be played
      mine.analysis.line = [];
      await mine.begin();
    }
    if (!isWished) return;
    mine.heading.focus({ preventScroll: true });
    mine.element.scrollIntoView({ block: "nearest" });
  }

  function close() {
    panel?.stop();
    panel?.watched.choose(false);
    panel = null;
    keepAddress();
  }

  function clear() {
    close();
    shown.forEach((one) => one.stop());
    shown = [];
    replace(grid);
    replace(tally);
    grid.classList.remove("hidden");
    pause.disabled = false;
    setPaused(false);
  }

  function keepAddress() {
    if (!shown.length) return;
    const { black, white } = kept;
    const query = new URLSearchParams({ b: black, w: white, c: String(shown.length), s: seed.toString(36) });
    const chosen = panel ? `&game=${shown.indexOf(panel.watched) + 1}${panel.address(paused)}` : "";
    rename(`/watch?${query}${chosen}`);
  }

  function setPaused(on) {
    if (paused && !on) panel?.rejoin();
    paused = on;
    panel?.speak(paused);
    replace(pause, paused ? "Resume" : "Pause", " ", h("kbd", {}, "space"));
    keepAddress();
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
    if (!shown.length) return null;
    const faster = (by) => () => {
      paces.selectedIndex = Math.max(0, Math.min(PACES.length - 1, paces.selectedIndex + by));
      keepPace();
    };
    const own = { " ": () => setPaused(!paused), "+": faster(1), "-": faster(-1), "−": faster(-1) }[key];
    if (own || panel) return own ?? panel.analysis.actionOf(key);
    const step = (by) => () => {
      setPaused(true);
      shown.forEach((one) => one.look(one.ply + by));
    };
    return { ArrowLeft: step(-1), ArrowRight: step(1) }[key];
  }

  return () => {
    clearTimeout(timer);
    panel?.stop();
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
  return labelled(label, select({ name }, [...choices, ["", "another…"]], chosen), other);
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
