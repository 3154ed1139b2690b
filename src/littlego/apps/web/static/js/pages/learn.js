// Learn: two machines that learn while you watch, and what they think of a board.

import { follow, get, post } from "../api.js";
import { Board } from "../board.js";
import { chart } from "../chart.js";
import { capital, h, replace, s, toast } from "../dom.js";

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
    words:
      "A learner that starts from nothing, plays itself and a few opponents, and learns what positions are worth. Watch its share of wins grow.",
    fields: fields([20000, 100, 2000000], 1, 0.1),
    draw: drawTraining,
    begun: newest("train"),
  });
  const ttt = lesson({
    path: "/api/learn/tictactoe",
    heading: "Tic-tac-toe, by temporal differences",
    words:
      "Two learners against each other. At first the one that begins wins most; as both learn, draws remain. On the board: what each first move is worth to the first player.",
    fields: fields([3000, 10, 200000], 0.2, 0.02),
    draw: drawTicTacToe,
    begun: newest("tictactoe"),
  });
  const thoughts = thinking();
  replace(
    main,
    h(
      "div",
      { class: "stack" },
      h(
        "header",
        {},
        h("h1", {}, "Learn"),
        h("p", { class: "lead" }, "Two machines that start from nothing and learn by playing, while you watch."),
      ),
      ttt,
      go,
      thoughts.element,
    ),
  );

  function lesson({ path, heading, words, fields, draw, begun }) {
    const figures = h("div", { class: "figures" });
    const progress = h("progress", { class: "hidden", "aria-label": heading });
    const waiting = h("p", { class: "soft", role: "status" });
    const stopButton = h(
      "button",
      { type: "button", class: "quiet hidden", onclick: () => job && post(`/api/jobs/${job.id}/cancel`) },
      "Stop",
    );
    let job = null;
    let forget = null;
    const form = h(
      "form",
      { class: "stack", onsubmit: begin },
      h(
        "div",
        { class: "choice" },
        fields.map(([name, label, value, min, max, step]) =>
          h(
            "label",
            {},
            h("span", {}, label),
            h("input", { name, type: "number", value, min, max, step, required: true }),
          ),
        ),
      ),
      h("div", { class: "row" }, h("button", {}, "Learn"), stopButton),
    );
    stops.push(() => forget?.());
    if (begun) get(`/api/jobs/${begun.id}`).then(watch, () => {});
    return h(
      "section",
      { class: "card stack" },
      h("h2", {}, heading),
      h("p", {}, words),
      form,
      progress,
      waiting,
      figures,
    );

    async function begin(event) {
      event.preventDefault();
      const asked = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, Number(value)]));
      try {
        watch(await post(path, asked));
      } catch (error) {
        toast(capital(error.message), "error");
      }
    }

    function watch(update) {
      forget?.();
      forget = follow(update, take);
    }

    function take(update) {
      job = update;
      const running = update.state === "running" || update.state === "waiting";
      progress.classList.toggle("hidden", !running);
      stopButton.classList.toggle("hidden", !running);
      if (update.total) Object.assign(progress, { max: update.total, value: update.done });
      else progress.removeAttribute("value");
      replace(waiting, running ? waitingWords(update) : "");
      if (update.state === "failed") toast(capital(update.message), "error");
      if (update.result) replace(figures, draw(update.result, update));
    }
  }

  function waitingWords({ state, done, total }) {
    if (state === "waiting") return "Waiting for other work on this server…";
    if (!done) return "Starting: the first time, the learner is compiled, which takes a while…";
    return `${done.toLocaleString("en")} of ${total.toLocaleString("en")} games played…`;
  }

  function drawTraining(found, job) {
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
    if (job.state === "done") thoughts.use(found.model);
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

  // The nine first moves and their values, the better the darker.
  function square(values) {
    const most = Math.max(0.01, ...values.map(Math.abs));
    return h(
      "figure",
      { class: "chart small" },
      s(
        "svg",
        { viewBox: "0 0 300 300", role: "img", "aria-label": "Values of the nine first moves" },
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
      ),
      h(
        "figcaption",
        {},
        "What each first move is worth to the learner now. Moves that it has hardly tried still stand at 0.",
      ),
    );
  }

  // What a learner thinks of every move, on a board to play on.
  function thinking() {
    let moves = [];
    let model = "";
    const board = new Board({
      size: 5,
      label: "What the learner thinks",
      onplay: (move, why) => {
        if (!why) {
          moves.push(move);
          load();
        }
      },
    });
    const says = h("p", { role: "status" });
    const overlay = s("g", { class: "thoughts" });
    board.element.append(overlay);
    const element = h(
      "section",
      { class: "card" },
      h("h2", {}, "What it thinks"),
      h(
        "div",
        { class: "columns" },
        board.element,
        h(
          "div",
          { class: "stack" },
          says,
          h(
            "div",
            { class: "row" },
            h(
              "button",
              {
                class: "quiet",
                onclick: () => {
                  moves.pop();
                  load();
                },
              },
              "Back",
            ),
            h(
              "button",
              {
                class: "quiet",
                onclick: () => {
                  moves = [];
                  load();
                },
              },
              "From the start",
            ),
          ),
        ),
      ),
    );
    load();

    async function load() {
      try {
        const line = await post("/api/positions", { moves });
        board.show({
          cells: line.boards.at(-1),
          last: line.moves.at(-1) ?? null,
          ko: line.kos.at(-1),
          turn: line.to_move,
          illegal: line.illegal,
        });
        replace(overlay);
        if (!line.plies_left || moves.slice(-2).join() === "PASS,PASS") return replace(says, "The end.");
        const learned = await post("/api/learn/values", { moves, model });
        for (const [move, value] of Object.entries(learned.values)) {
          const point = board.point(move);
          if (point === null) continue;
          const [cx, cy] = board.at(point);
          overlay.append(
            s("circle", { cx, cy, r: 30, class: "thought", "fill-opacity": (0.1 + 0.85 * value).toFixed(2) }),
            s("text", { x: cx, y: cy }, String(Math.round(100 * value))),
          );
        }
        const best = Object.entries(learned.values).reduce((one, other) => (other[1] > one[1] ? other : one));
        return replace(
          says,
          `${capital(learned.to_move)} to move. The ${model ? "learner you trained" : "learner that ships"} gives each move's chance of winning in per cent; it would play ${best[0]} (${Math.round(100 * best[1])}%).`,
        );
      } catch (error) {
        return toast(capital(error.message), "error");
      }
    }

    return {
      element,
      use: (name) => {
        if (name !== model) {
          model = name;
          load();
        }
      },
    };
  }

  return () => stops.forEach((stop) => stop());
}
