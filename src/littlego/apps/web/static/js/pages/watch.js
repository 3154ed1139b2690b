// Watch: two players against each other, one game or many, at your pace. The address names the games, so that it can be
// kept, shared and reloaded.

import { followGame, get, post } from "../api.js";
import { GameValues, ValueBar } from "../bar.js";
import { Board } from "../board.js";
import { button, h, labelled, onKeys, onSubmit, replace, select } from "../dom.js";
import { said, t, tx } from "../language/language.js";

export const title = t("Watch");

const PACES = [
  ["2", t("slow")],
  ["0.7", t("normal")],
  ["0.25", t("fast")],
  ["0", t("as fast as they play")],
];

export async function show(main) {
  const players = (await get("/api/players")).map((player) => player.name);
  const { owner, student } = await get("/api/about"); // visitors get no values
  const kept = {
    black: "smart",
    white: "perfect",
    count: "4",
    pace: "0.7",
    ...JSON.parse(localStorage.getItem("watch") ?? "{}"),
  };
  let shown = []; // the games on the page
  let round = 0; // grows when other games are started or the page is left: what still runs for an earlier round ends
  let paused = false;
  const player = (label, name) => {
    const names = [...new Set([...players, kept[name]])].map((value) => [value, value]);
    return labelled(label, select({ name }, [...names, ["", t("another…")]], kept[name]), otherField(name));
  };
  const otherField = (name) =>
    h("input", {
      name: `${name}-other`,
      class: "hidden",
      "aria-label": t("Another player"),
      placeholder: t("path/to/agent or agent:ID"),
      maxlength: 400,
    });
  const grid = h("div", { class: "grid" });
  const tally = h("p", { role: "status" });
  const pause = button([t("Pause"), " ", h("kbd", {}, t("space"))], "quiet", () => setPaused(!paused));
  const paces = select({ name: "pace", onchange: () => keepPace() }, PACES, kept.pace);
  pause.disabled = true;
  const form = h("form", { class: "card stack", onsubmit: onSubmit(begin), onchange: showOthers }, [
    h("h1", {}, t("Watch a game")),
    h("div", { class: "choice" }, [
      player(t("Black"), "black"),
      player(t("White"), "white"),
      labelled(t("Games"), h("input", { name: "count", type: "number", min: 1, max: 24, value: kept.count })),
      labelled(t("Pace"), paces),
    ]),
    h("p", { class: "row" }, [
      h("button", {}, t("Start")),
      pause,
      h("small", {}, t("The players swap colours after each game. The address keeps what is watched.")),
    ]),
    h("p", { class: "keys" }, [
      tx("{left} and {right} step, {space} pauses, {plus} and {minus} change the pace", {
        left: h("kbd", {}, "←"),
        right: h("kbd", {}, "→"),
        space: h("kbd", {}, t("space")),
        plus: h("kbd", {}, "+"),
        minus: h("kbd", {}, "−"),
      }),
    ]),
  ]);
  replace(main, h("div", { class: "stack" }, form, tally, grid));
  const stopKeys = onKeys(actionOf);
  const named = new URLSearchParams(location.search).get("games");
  if (named) await watchAll(named.split(",").slice(0, 24));

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
    localStorage.setItem("watch", JSON.stringify({ black, white, count: chosen.count, pace: chosen.pace }));
    const mine = clear();
    const ids = [];
    for (let k = 0; k < Number(chosen.count); k++) {
      const [first, second] = k % 2 ? [white, black] : [black, white];
      const game = await post("/api/games", { black: first, white: second });
      if (mine !== round) return;
      ids.push(game.id);
      history.replaceState({}, "", `/watch?games=${ids.join(",")}`);
      shown.push(showOne(game, 0));
    }
  }

  // Games that the address names: those that have ended are shown at their end.
  async function watchAll(ids) {
    const mine = clear();
    for (const id of ids) {
      const game = await get(`/api/games/${id}`);
      if (mine !== round) return;
      shown.push(showOne(game, game.outcome ? game.moves.length : 0));
    }
  }

  function clear() {
    shown.forEach((one) => one.stop());
    shown = [];
    replace(grid);
    replace(tally);
    pause.disabled = false;
    setPaused(false);
    return ++round;
  }

  function setPaused(on) {
    paused = on;
    replace(pause, paused ? t("Resume") : t("Pause"), " ", h("kbd", {}, t("space")));
  }

  function drawTally() {
    const ended = shown.map((one) => one.winner()).filter(Boolean);
    const names = [...new Set(shown.flatMap((one) => one.names))];
    const wins = (name) => ended.filter((one) => one === name).length;
    replace(tally, ended.length > 0 && names.map((name) => `${name} ${wins(name)}`).join(" : "));
  }

  function actionOf(key) {
    if (!shown.length) return null;
    const faster = (by) => () => {
      paces.selectedIndex = Math.max(0, Math.min(PACES.length - 1, paces.selectedIndex + by));
      keepPace();
    };
    const step = (by) => () => {
      setPaused(true);
      shown.forEach((one) => one.step(by));
    };
    return {
      " ": () => setPaused(!paused),
      "+": faster(1),
      "-": faster(-1),
      "−": faster(-1),
      ArrowLeft: step(-1),
      ArrowRight: step(1),
    }[key];
  }

  // One game: moves arrive as fast as the players play, and are shown at the chosen pace.
  function showOne(first, from) {
    let game = first;
    let ply = from;
    let seenEnd = false;
    const board = new Board({
      size: game.rules.size,
      label: t("{black} against {white}", game),
      coordinates: false,
    });
    const line = h("p", {});
    const slider = h("input", { type: "range", min: 0, max: 0, "aria-label": t("Move of {black} – {white}", game) });
    slider.addEventListener("input", () => {
      setPaused(true);
      look(Number(slider.value));
    });
    const link = h("a", { "aria-label": t("Analyse {black} – {white}", game) }, board.element);
    const bar = new ValueBar();
    const values = new GameValues(() => get(`/api/games/${game.id}/values`));
    grid.append(h("article", { class: "card" }, h("div", { class: "with-bar" }, link, bar.element), slider, line));
    const stop = followGame(first.id, (next) => {
      if (next.version < game.version) return;
      game = next;
      draw();
    });
    let timer = setTimeout(advance, 100);
    draw();

    function look(to) {
      ply = Math.max(0, Math.min(game.moves.length, to));
      draw();
    }

    function draw() {
      board.showGame(game, { ply });
      bar.show(values.at(ply));
      if (owner || student) values.want(game.boards.length, () => bar.show(values.at(ply)));
      link.href = `/review/${game.id}?at=${ply}`;
      Object.assign(slider, { max: game.moves.length, value: ply });
      const end = ply === game.moves.length && game.outcome;
      replace(
        line,
        h("span", { class: "disc small black" }),
        ` ${game.black}  `,
        h("span", { class: "disc small white" }),
        ` ${game.white}`,
        h("br"),
        end
          ? [`${said(game.outcome.text)}. `, h("a", { href: `/review/${game.id}` }, t("Review"))]
          : game.trouble || t("Move {number} of {all}", { number: ply, all: game.rules.max_moves }),
      );
      if (end && !seenEnd) {
        seenEnd = true;
        setTimeout(drawTally);
      }
    }

    function advance() {
      const pace = Number(paces.value);
      if (!paused && ply < game.moves.length) look(pace ? ply + 1 : game.moves.length);
      timer = setTimeout(advance, Math.max(60, pace * 1000));
    }

    return {
      names: [game.black, game.white],
      winner: () => seenEnd && (game.outcome.winner ? game[game.outcome.winner] : "tie"),
      step: (by) => look(ply + by),
      stop: () => {
        stop();
        clearTimeout(timer);
      },
    };
  }

  return () => {
    round += 1;
    shown.forEach((one) => one.stop());
    stopKeys();
  };
}
