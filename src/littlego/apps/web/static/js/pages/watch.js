// Watch: two players against each other, one game or many, at your pace, any of them on the analysis board. The address
// names the games and the place that is analysed, so that it can be kept, shared and reloaded.

import { attempt, button, h, labelled, onKeys, onSubmit, replace, select, showError } from "../dom.js";
import { about, get, post } from "../server/api.js";
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
  const asked = new URLSearchParams(location.search);
  const named = asked.get("games")?.split(",").slice(0, MOST) ?? [];
  const [players, { owner, student }, ...found] = await Promise.all([
    get("/api/players"),
    about(),
    ...named.map((id) => get(`/api/games/${id}`)),
  ]);
  const mayAnalyse = Boolean(owner || student); // visitors get no values
  const kept = {
    black: "smart",
    white: "perfect",
    count: "4",
    pace: "0.7",
    ...JSON.parse(localStorage.getItem("watch") ?? "{}"),
  };
  let shown = []; // the games on the page
  let panel = null; // the one on the analysis board
  let round = 0; // grows when other games are started or the page is left: what still runs for an earlier round ends
  let paused = false;
  const grid = h("div", { class: "grid" });
  const place = h("div", { class: "place" });
  const tally = h("p", { role: "status" });
  const pause = button(["Pause", " ", h("kbd", {}, "space")], "quiet", () => setPaused(!paused));
  const paces = select({ name: "pace", "aria-label": "Pace", onchange: keepPace }, PACES, kept.pace);
  pause.disabled = true;
  const names = players.map((player) => player.name);
  const form = h("form", { class: "card stack", onsubmit: onSubmit(begin), onchange: showOthers }, [
    h("h1", {}, "Watch a game"),
    h("details", { open: !asked.has("games") }, [
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
  if (found.length) await watchAll(found);
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
    const mine = clear();
    form.querySelector("details").open = false; // the boards are what people want to see now
    for (let k = 0; k < Number(chosen.count); k++) {
      const [first, second] = k % 2 ? [white, black] : [black, white];
      const game = await post("/api/games", { black: first, white: second });
      if (mine !== round) return;
      add(game, 0);
      keepAddress();
    }
    await openTheOnly();
  }

  // Games that the address names: those that have ended are shown at their end.
  async function watchAll(games) {
    clear();
    for (const game of games) add(game, game.outcome ? game.moves.length : 0);
    const chosen = shown.find((one) => one.game.id === asked.get("game"));
    if (!chosen || !mayAnalyse) return openTheOnly();
    hideOnly();
    if (asked.has("at")) {
      setPaused(true);
      chosen.look(Number(asked.get("at")) || 0);
    }
    return open(chosen, asked.get("line")?.split("_") ?? []);
  }

  function add(game, ply) {
    const one = new Watched(game, {
      ply,
      values: mayAnalyse,
      onlook: (changed) => panel?.watched === changed && panel.follow(),
      onscrub: () => setPaused(true),
      onpick: mayAnalyse ? () => attempt(() => open(one, [], true)) : null,
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
    return grid.classList.toggle("hidden", shown.length === 1 && mayAnalyse);
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
    return ++round;
  }

  function keepAddress() {
    if (!shown.length) return;
    const games = shown.map((one) => one.game.id).join(",");
    history.replaceState({}, "", `/watch?games=${games}${panel?.address(paused) ?? ""}`);
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
    round += 1;
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
    placeholder: "path/to/agent or agent:ID",
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
