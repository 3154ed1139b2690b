// Learn: two learners that train while you watch, alone or beside an earlier training with other settings.

import { Board } from "../board/board.js";
import { thinking } from "../board/thoughts.js";
import { button, capital, h, labelled, onSubmit, replace, s, select, toast } from "../dom.js";
import { moveName } from "../board/coordinates.js";
import { listed, number, plural } from "../words.js";
import { chart } from "../results/chart.js";
import { about, follow, get, post } from "../server/api.js";
import { UNFINISHED } from "../server/progress.js";

export const title = "Learn";

// The fields of a lesson's form: name, label, value, least, most, step.
const fields = (games, [alpha, most], epsilon) => [
  ["games", "Games", ...games, 1],
  ["alpha", "Learning rate", alpha, 0.01, most, 0.01],
  ["epsilon", "Exploration", epsilon, 0, 1, 0.01],
  ["seed", "Seed", 1, 0, 2147483647, 1],
];

// The trainings of a kind that did not fail, the newest first.
const earlier = async (kind) => (await get(`/api/jobs?kind=${kind}&most=100`)).filter((job) => job.state !== "failed");

export async function show(main) {
  const stops = [];
  const [trainings, lessons] = await Promise.all([earlier("train"), earlier("tictactoe")]);
  const newest = (jobs) => jobs.length > 0 && get(`/api/jobs/${jobs[0].id}`);
  const [trained, played] = await Promise.all([newest(trainings), newest(lessons)]);
  const { owner } = await about(); // after those, which may ask who you are
  const thoughts = thinking();
  const go = lesson({
    path: "/api/learn/training",
    heading: "Little-Go, by Q-learning",
    introduction:
      "A learner that knows only the rules. It plays against itself, and after each game moves the values of its positions towards the result. Every few games it stops and is tested: that is when the figures grow.",
    before:
      "It first plays a few hundred games almost at random. Then come its first results: how often it wins against each opponent, and its moves in nine positions that are won.",
    fields: fields([20000, 100, 2000000], [1, 2], 0.1),
    draw: drawTraining,
    earlier: trainings,
    begun: trained,
  });
  const ttt = lesson({
    path: "/api/learn/tictactoe",
    heading: "Tic-tac-toe, by temporal differences",
    introduction:
      "Two learners play each other. At first the one that moves first wins most games; as both learn, most games are drawn. The small board shows what each first move is worth to the first player.",
    before:
      "Both begin with the value 0 for every board and play at random. A win is worth 1, a loss −1; after each move the value of the board before it moves a little towards the value of the board after it.",
    fields: fields([3000, 10, 200000], [0.2, 1], 0.02),
    draw: drawTicTacToe,
    earlier: lessons,
    begun: played,
  });
  replace(
    main,
    h("div", { class: "stack" }, [
      h("header", {}, [
        h("h1", {}, "Learn"),
        h("p", { class: "lead" }, "Learners that start from nothing and learn by playing, while you watch."),
      ]),
      ttt,
      owner && go,
      thoughts.element,
    ]),
  );

  function lesson({ path, heading, introduction, before, fields, draw, earlier, begun }) {
    let job = null;
    let forget = null;
    const figures = h("div", { class: "stack" });
    const other = h("div", { class: "stack" });
    const sides = h("div", { class: "sides-by-side" }, figures);
    const progress = h("progress", { class: "hidden", "aria-label": heading });
    const waiting = h("p", { class: "soft", role: "status" }, !earlier.length && before);
    const stopButton = button("Stop", "quiet hidden", () => post(`/api/jobs/${job.id}/cancel`));
    const compare = select({ onchange: compareWith }, choices(), "");
    const form = h("form", { class: "stack", onsubmit: onSubmit(begin) }, [
      h("div", { class: "choice" }, [
        fields.map(([name, label, value, min, max, step]) =>
          labelled(label, h("input", { name, type: "number", value, min, max, step, required: true })),
        ),
      ]),
      h("div", { class: "row" }, [
        h("button", {}, "Learn"),
        stopButton,
        h("label", { class: "row" }, h("span", {}, "Compare with"), compare),
      ]),
    ]);
    stops.push(() => forget?.());
    if (begun) watch(begun);
    return h("section", { class: "card stack" }, [
      h("h2", {}, heading),
      h("p", {}, introduction),
      form,
      progress,
      waiting,
      sides,
    ]);

    function choices() {
      const others = earlier.filter((one) => one.id !== job?.id).map((one) => [one.id, one.title]);
      return [["", "nothing"], ...others];
    }

    async function begin(chosen) {
      const numbers = Object.entries(chosen).map(([name, value]) => [name, Number(value)]);
      const begun = await post(path, Object.fromEntries(numbers));
      replace(waiting, before);
      earlier.unshift(begun);
      watch(begun);
    }

    function watch(update) {
      forget?.();
      replace(figures);
      job = update;
      const kept = compare.value;
      replace(
        compare,
        choices().map(([value, text]) => h("option", { value }, text)),
      );
      compare.value = kept === job.id ? "" : kept;
      compareWith();
      forget = follow(update, take);
    }

    // An earlier training beside this one, each under its settings.
    async function compareWith() {
      const id = compare.value;
      replace(sides, figures, id && other);
      sides.classList.toggle("two", Boolean(id));
      replace(other);
      const found = id && (await get(`/api/jobs/${id}`));
      if (found && compare.value === id && found.result) replace(other, drawn(found));
    }

    function drawn(found) {
      return [h("h3", {}, found.title), draw(found.result, found)];
    }

    function take(update) {
      job = update;
      const running = UNFINISHED.includes(update.state);
      progress.classList.toggle("hidden", !running);
      stopButton.classList.toggle("hidden", !running);
      if (update.total) Object.assign(progress, { max: update.total, value: update.done });
      else progress.removeAttribute("value");
      const hasFigures = update.result?.curve.length > 0;
      replace(waiting, running && [progressText(update), " ", !hasFigures && before]);
      if (update.state === "failed") toast(capital(update.message), "error");
      if (hasFigures) replace(figures, drawn(update));
    }
  }

  function progressText({ state, done, total }) {
    if (state === "waiting") return "Waiting for other work on this server…";
    if (!done) return "Starting…";
    return `${number(done)} of ${number(total)} games played…`;
  }

  function drawTraining(found, { state }) {
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
      chart({
        lines,
        x: "games",
        y: "Games won against",
        percent: true,
        sentence: "A line that rises: it beats that opponent more often. 50% is as good as the opponent.",
      }),
      truth.length > 0 &&
        chart({
          lines: [
            { name: "wins given away", points: truth.map((measure) => [measure.games, measure.regret]) },
            { name: "value error", points: truth.map((measure) => [measure.games, measure.value_error]) },
          ],
          x: "games",
          y: "Against the solved game",
          percent: true,
          sentence:
            "The game is solved, so we know what it should have learned: in how many won positions its move gives the win away, and how far its values are from the truth. Both should fall to 0.",
        }),
      ...errors(truth.filter((measure) => measure.by_stage?.length)),
      choices(found.choices ?? []),
    ];
  }

  // Where a learner still errs: by the stage of the game, and by the point that it plays instead of a winning move.
  function errors(curve) {
    if (!curve.length) return [];
    const stages = ["8–11", "12–15", "16–19", "20–22"];
    const lines = stages.map((moves, k) => ({
      name: `after ${moves} moves`,
      points: curve.map((measure) => [measure.games, measure.by_stage[k][0] / Math.max(measure.by_stage[k][1], 1)]),
    }));
    const points = curve.at(-1).by_point.slice(0, -1);
    const most = Math.max(1, ...points);
    return [
      chart({ lines, x: "games", y: "Wins given away, by stage of the game", percent: true }),
      h("figure", { class: "chart small" }, [
        s("svg", { viewBox: "0 0 300 300", role: "img", "aria-label": "Wins given away by a stone on each point" }, [
          points.map((count, k) => [
            s("rect", {
              class: "minus",
              x: (k % 5) * 60 + 2,
              y: Math.floor(k / 5) * 60 + 2,
              width: 56,
              height: 56,
              rx: 6,
              "fill-opacity": (0.05 + (0.4 * count) / most).toFixed(2),
            }),
            s("text", { x: (k % 5) * 60 + 30, y: Math.floor(k / 5) * 60 + 30 }, number(count)),
          ]),
        ]),
        h("figcaption", {}, "Where it still goes wrong: won positions thrown away by playing each point."),
      ]),
    ];
  }

  // The learner's moves in positions that are won: a cross where its move throws the win away.
  function choices(positions) {
    const wrong = positions.filter((one) => !one.winning.includes(one.move)).length;
    if (!positions.length) return null;
    return h("figure", { class: "chart" }, [
      h("div", { class: "nine" }, [positions.map(choice)]),
      h("figcaption", {}, [
        h(
          "b",
          {},
          plural(wrong, `{n} mistake on ${positions.length} boards`, `{n} mistakes on ${positions.length} boards`),
        ),
        h("span", {}, [
          "What it would play now in nine positions that the side to move wins: a cross where that gives the win away, a tick on the moves that win.",
        ]),
      ]),
    ]);
  }

  function choice({ cells, to_move, move, winning }) {
    const isRight = winning.includes(move);
    const names = listed(winning.map((one) => moveName(one, 5)));
    const played = moveName(move, 5);
    const label = isRight
      ? `The learner plays ${played}, which wins`
      : `The learner plays ${played}, which loses; ${names} wins`;
    const board = new Board({ size: 5, label, coordinates: false });
    const marks = Object.fromEntries(winning.map((one) => [one, "won"]));
    if (!isRight) marks[move] = "wrong";
    board.show({ cells, marks });
    return h("div", { class: isRight ? "right" : "mistaken", title: label }, [
      board.element,
      h("small", {}, [
        h("i", { class: `disc small ${to_move}` }),
        " ",
        h("span", { class: isRight ? "good" : "bad" }, `${played} ${isRight ? "✓" : "✗"}`),
      ]),
    ]);
  }

  function drawTicTacToe(found) {
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
        sentence: "Two players who make no mistake always draw: the third line rises while both learn.",
      }),
      chart({
        lines: opening,
        x: "games",
        y: "Value of each first move",
        least: -spread,
        most: spread,
        sentence:
          "A line jumps when the second player finds an answer, and the first has to think again. Lines that stay at 0 are moves that are hardly tried.",
      }),
      square(last.values, found.truth ?? []),
    ];
  }

  // The nine first moves with their values, the better, the darker, and the true values below them.
  function square(values, truth) {
    const most = Math.max(0.01, ...values.map(Math.abs));
    const isDraw = truth.length > 0 && truth.every((value) => value === 0);
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
          s("text", { x: (k % 3) * 100 + 50, y: Math.floor(k / 3) * 100 + 42 }, number(value, 2)),
          truth.length > 0 &&
            s("text", { class: "truth", x: (k % 3) * 100 + 50, y: Math.floor(k / 3) * 100 + 72 }, [
              `true: ${number(truth[k])}`,
            ]),
        ]),
      ]),
      h("figcaption", {}, [
        "What each first move is worth to the learner now. Moves that it has hardly tried are still near 0.",
        isDraw && " ",
        isDraw &&
          "With best play every first move is a draw, so the true value is 0 everywhere: a value above it says only how often this opponent still errs.",
      ]),
    ]);
  }

  return () => stops.forEach((stop) => stop());
}
