// Learn: two learners that train while you watch, and what they think of a position.

import { follow, get, post } from "../api.js";
import { Board } from "../board.js";
import { chart } from "../chart.js";
import { attempt, button, capital, h, labelled, onSubmit, replace, s, toast } from "../dom.js";
import { UNFINISHED } from "../progress.js";

export const title = "Learn";

// The fields of a lesson's form: name, label, value, least, most, step.
const fields = (games, alpha, epsilon) => [
  ["games", "Games", ...games, 1],
  ["alpha", "Learning rate", alpha, 0.01, 2, 0.01],
  ["epsilon", "Exploration", epsilon, 0, 1, 0.01],
  ["seed", "Seed", 1, 0, 2147483647, 1],
];

export async function show(main) {
  const stops = [];
  const jobs = await get("/api/jobs?most=100");
  const newest = (kind) => jobs.find((job) => job.kind === kind && job.state !== "failed");
  const go = lesson({
    path: "/api/learn/training",
    heading: "Little-Go, by Q-learning",
    introduction:
      "A learner that starts from nothing, plays against itself and a few opponents, and learns what positions are worth. Watch its share of wins grow.",
    fields: fields([20000, 100, 2000000], 1, 0.1),
    draw: drawTraining,
    begun: newest("train"),
  });
  const ttt = lesson({
    path: "/api/learn/tictactoe",
    heading: "Tic-tac-toe, by temporal differences",
    introduction:
      "Two learners play each other. At first the one that moves first wins most games; as both learn, most games are drawn. The small board shows what each first move is worth to the first player.",
    fields: fields([3000, 10, 200000], 0.2, 0.02),
    draw: drawTicTacToe,
    begun: newest("tictactoe"),
  });
  const thoughts = thinking();
  replace(
    main,
    h("div", { class: "stack" }, [
      h("header", {}, [
        h("h1", {}, "Learn"),
        h("p", { class: "lead" }, "Learners that start from nothing and learn by playing, while you watch."),
      ]),
      ttt,
      go,
      thoughts.element,
    ]),
  );

  function lesson({ path, heading, introduction, fields, draw, begun }) {
    const figures = h("div", { class: "figures" });
    const progress = h("progress", { class: "hidden", "aria-label": heading });
    const waiting = h("p", { class: "soft", role: "status" });
    const stopButton = button("Stop", "quiet hidden", () => post(`/api/jobs/${job.id}/cancel`));
    let job = null;
    let forget = null;
    const form = h("form", { class: "stack", onsubmit: onSubmit(begin) }, [
      h("div", { class: "choice" }, [
        fields.map(([name, label, value, min, max, step]) =>
          labelled(label, h("input", { name, type: "number", value, min, max, step, required: true })),
        ),
      ]),
      h("div", { class: "row" }, h("button", {}, "Learn"), stopButton),
    ]);
    stops.push(() => forget?.());
    if (begun) get(`/api/jobs/${begun.id}`).then(watch, () => {});
    return h("section", { class: "card stack" }, [
      h("h2", {}, heading),
      h("p", {}, introduction),
      form,
      progress,
      waiting,
      figures,
    ]);

    async function begin(chosen) {
      const numbers = Object.entries(chosen).map(([name, value]) => [name, Number(value)]);
      watch(await post(path, Object.fromEntries(numbers)));
    }

    function watch(update) {
      forget?.();
      forget = follow(update, take);
    }

    function take(update) {
      job = update;
      const running = UNFINISHED.includes(update.state);
      progress.classList.toggle("hidden", !running);
      stopButton.classList.toggle("hidden", !running);
      if (update.total) Object.assign(progress, { max: update.total, value: update.done });
      else progress.removeAttribute("value");
      replace(waiting, running ? progressText(update) : "");
      if (update.state === "failed") toast(capital(update.message), "error");
      if (update.result) replace(figures, draw(update.result, update.state));
    }
  }

  function progressText({ state, done, total }) {
    if (state === "waiting") return "Waiting for other work on this server…";
    if (!done) return "Starting. The first time, the learner must be compiled, which takes a while…";
    return `${done.toLocaleString("en")} of ${total.toLocaleString("en")} games played…`;
  }

  function drawTraining(found, state) {
    if (!found.curve.length) return [];
    const names = Object.keys(found.curve[0].wins);
    const lines = names.map((name) => ({
      name,
      points: found.curve.map((measure) => [
        measure.games,
        (measure.wins[name][0] + measure.wins[name][1]) / (2 * found.test_games),
      ]),
    }));
    const truth = found.curve.filter((measure) => measure.regret !== null);
    if (state === "done") thoughts.use(found.model);
    return [
      chart({ lines, x: "games", y: "Games won against", percent: true }),
      truth.length > 0 &&
        chart({
          lines: [
            { name: "wins given away", points: truth.map((measure) => [measure.games, measure.regret]) },
            { name: "value error", points: truth.map((measure) => [measure.games, measure.value_error]) },
          ],
          x: "games",
          y: "Against the solved game",
          percent: true,
        }),
    ];
  }

  function drawTicTacToe(found) {
    if (!found.curve.length) return [];
    const line = (name, key) => ({ name, points: found.curve.map((at) => [at.games, at[key]]) });
    const last = found.curve.at(-1);
    const spread = Math.max(0.1, ...found.curve.flatMap((at) => at.values.map(Math.abs)));
    const opening = found.curve[0].values.map((_, k) => ({
      name: `${Math.floor(k / 3)},${k % 3}`,
      points: found.curve.map((at) => [at.games, at.values[k]]),
    }));
    return [
      chart({
        lines: [line("first player", "first"), line("second player", "second"), line("draws", "draws")],
        x: "games",
        y: "Share of results so far",
        percent: true,
      }),
      chart({ lines: opening, x: "games", y: "Value of each first move", least: -spread, most: spread }),
      square(last.values),
    ];
  }

  // The nine first moves and their values: the better, the darker.
  function square(values) {
    const most = Math.max(0.01, ...values.map(Math.abs));
    return h("figure", { class: "chart small" }, [
      s("svg", { viewBox: "0 0 300 300", role: "img", "aria-label": "Values of the nine first moves" }, [
        values.map((value, k) => [
          s("rect", {
            class: value >= 0 ? "plus" : "minus",
            x: (k % 3) * 100 + 2,
            y: Math.floor(k / 3) * 100 + 2,
            width: 96,
            height: 96,
            rx: 8,
            "fill-opacity": (0.08 + (0.37 * Math.abs(value)) / most).toFixed(2),
          }),
          s("text", { x: (k % 3) * 100 + 50, y: Math.floor(k / 3) * 100 + 50 }, value.toFixed(2)),
        ]),
      ]),
      h("figcaption", {}, [
        "What each first move is worth to the learner now. Moves that it has hardly tried are still near 0.",
      ]),
    ]);
  }

  // What a learner thinks of every move, on a board to play on.
  function thinking() {
    let moves = [];
    let model = "";
    const board = new Board({
      size: 5,
      label: "What the learner thinks",
      onplay: (move, why) => why || attempt(() => load([...moves, move])),
    });
    const says = h("p", { role: "status" });
    const overlay = s("g", { class: "thoughts" });
    board.element.append(overlay);
    const element = h("section", { class: "card" }, [
      h("h2", {}, "What the learner thinks"),
      h("div", { class: "columns" }, [
        board.element,
        h("div", { class: "stack" }, [
          says,
          h("div", { class: "row" }, [
            button("Back", "quiet", () => load(moves.slice(0, -1))),
            button("Start over", "quiet", () => load([])),
          ]),
        ]),
      ]),
    ]);
    attempt(() => load([]));

    async function load(next) {
      const before = moves;
      moves = next; // at once: the next click continues from here
      const line = await post("/api/positions", { moves }).catch((error) => {
        if (moves === next) moves = before;
        throw error;
      });
      if (moves !== next) return;
      board.showGame(line, { turn: line.outcome ? null : line.to_move });
      replace(overlay);
      if (line.outcome) return replace(says, "The end.");
      const { to_move, values } = await post("/api/learn/values", { moves, model });
      if (moves !== next) return;
      for (const [move, value] of Object.entries(values)) {
        const point = board.point(move);
        if (point === null) continue;
        const [cx, cy] = board.at(point);
        overlay.append(
          s("circle", { cx, cy, r: 30, class: "thought", "fill-opacity": (0.1 + 0.85 * value).toFixed(2) }),
          s("text", { x: cx, y: cy }, Math.round(100 * value)),
        );
      }
      const best = Object.keys(values).reduce((one, other) => (values[other] > values[one] ? other : one));
      const who = model ? "the learner that you trained" : "the learner that ships with Little-Go";
      return replace(says, [
        `${capital(to_move)} to move. The numbers are the chances of winning with each move, in per cent, `,
        `according to ${who}. It would play ${best} (${Math.round(100 * values[best])}%).`,
      ]);
    }

    return {
      element,
      use: (name) => {
        if (name === model) return;
        model = name;
        attempt(() => load(moves));
      },
    };
  }

  return () => stops.forEach((stop) => stop());
}
