// Learn: two learners that train in the page while you watch, with the truth beside what they believe.

import { Board } from "../board/board.js";
import { moveName } from "../board/coordinates.js";
import { thinking } from "../board/thoughts.js";
import { button, h, labelled, onSubmit, replace, s, showError } from "../dom.js";
import { Kernel } from "../kernel.js";
import { OPPONENTS, placeOf } from "../kernel/training.js";
import { number } from "../words.js";
import { chart } from "../results/chart.js";

export const title = "Learn";

/**
 * One training: its title, what was measured as it went, and the worker that knows what was learned.
 * @typedef {{ title: string, curve: any[], kernel: Kernel }} Trained
 */

const LESSONS = {
  tictactoe: {
    heading: "Tic-tac-toe, by Q-learning",
    introduction:
      "A learner meets a player that moves at random, as X and as O. After a game it moves the values of its own moves towards the result: 1 for a win, 0 for a draw, −10 for a loss. It never sees the rules; the truth below is worked out from them, by trying every game.",
    games: [20000, 100, 500000],
    alpha: [1, 1],
    epsilon: 0,
    draw: drawTicTacToe,
  },
  littlego: {
    heading: "Little-Go, by Q-learning",
    introduction:
      "A learner that knows only the rules plays against itself, and after each game moves the values of its positions towards the result. Now and then it stops and is tested: against four opponents, and on the fifty puzzles, where exactly one move wins.",
    games: [10000, 100, 500000],
    alpha: [1, 2],
    epsilon: 0.1,
    draw: drawLittleGo,
  },
};

/** The last training of this visit. @type {Record<keyof typeof LESSONS, Trained | null>} */
const trainings = { tictactoe: null, littlego: null };

export async function show(main) {
  const thoughts = thinking();
  const lessons = [lesson("tictactoe"), lesson("littlego", (trained) => thoughts.use(trained))];
  replace(
    main,
    h("div", { class: "stack" }, [
      h("header", {}, [
        h("h1", {}, "Learn"),
        h("p", { class: "lead" }, "Learners that start from nothing and learn by playing, here in your browser."),
      ]),
      thoughts.element,
      lessons.map(({ element }) => element),
    ]),
  );
  return () => {
    lessons.forEach(({ stop }) => stop());
    thoughts.stop();
  };
}

/**
 * A form, and figures that grow while it learns.
 * @param {keyof typeof LESSONS} name
 * @param {(trained: Trained) => void} ontold
 */
function lesson(name, ontold = () => {}) {
  const { heading, introduction, games, alpha, epsilon, draw } = LESSONS[name];
  let stopping = new AbortController();
  const figures = h("div", { class: "stack figures" });
  const progress = h("progress", { class: "hidden", "aria-label": heading });
  const says = h("p", { class: "soft", role: "status" });
  const stop = button("Stop", "quiet hidden", () => stopping.abort());
  const field = (key, label, value, min, max, step) =>
    labelled(label, h("input", { name: key, type: "number", value, min, max, step, required: true }));
  const form = h("form", { class: "stack", onsubmit: onSubmit(begin) }, [
    h("div", { class: "choice" }, [
      field("games", name === "tictactoe" ? "Games as each side" : "Games", ...games, 1),
      field("alpha", "Learning rate", alpha[0], 0.01, alpha[1], 0.01),
      field("epsilon", "Exploration", epsilon, 0, 1, 0.01),
      field("seed", "Seed", 1, 0, 2147483647, 1),
    ]),
    h("div", { class: "row" }, h("button", {}, "Learn"), stop),
  ]);
  const element = h("section", { class: "card stack" }, [
    h("h2", {}, heading),
    h("p", {}, introduction),
    form,
    progress,
    says,
    figures,
  ]);
  const earlier = trainings[name];
  if (earlier) {
    replace(figures, drawn(earlier));
    ontold(earlier);
  }
  return { element, stop: () => stopping.abort() };

  async function begin(chosen) {
    stopping.abort();
    const mine = (stopping = new AbortController());
    const settings = /** @type {any} */ (
      Object.fromEntries(Object.entries(chosen).map(([key, value]) => [key, Number(value)]))
    );
    trainings[name]?.kernel.end();
    const trained = (trainings[name] = { title: titleOf(settings), curve: [], kernel: new Kernel() });
    progress.classList.remove("hidden");
    progress.removeAttribute("value");
    stop.classList.remove("hidden");
    replace(says, "Starting…");
    replace(figures);
    const take = (measure) => {
      trained.curve.push(measure);
      Object.assign(progress, { max: settings.games, value: measure.games });
      if (stopping !== mine) return;
      replace(says, `${number(measure.games)} of ${number(settings.games)} games played…`);
      replace(figures, drawn(trained));
      ontold(trained);
    };
    try {
      await trained.kernel.learn(name, settings, { take, signal: mine.signal });
      replace(says, `${number(settings.games)} games played.`);
    } catch (error) {
      if (!mine.signal.aborted) showError(error);
      if (stopping === mine) replace(says, "Stopped.");
    }
    if (stopping !== mine) return;
    progress.classList.add("hidden");
    stop.classList.add("hidden");
  }

  function drawn({ title, curve }) {
    return curve.length > 0 && [h("h3", {}, title), draw(curve)];
  }
}

const titleOf = ({ games, alpha, epsilon, seed }) =>
  `${number(games)} games, rate ${alpha}, exploration ${epsilon}, seed ${seed}`;

function drawLittleGo(curve) {
  const solved = ({ choices }) => choices.filter(({ move, answer }) => move === answer).length;
  const last = curve.at(-1);
  return [
    chart({
      lines: OPPONENTS.map((name, k) => ({ name, points: curve.map(({ games, wins }) => [games, wins[k]]) })),
      x: "games",
      y: "Games won against",
      percent: true,
      sentence: "A line that rises: it beats that opponent more often. 50% is as good as the opponent.",
    }),
    chart({
      lines: [{ name: "solved", points: curve.map((at) => [at.games, solved(at) / at.choices.length]) }],
      x: "games",
      y: "Puzzles solved",
      percent: true,
      sentence: `Of fifty positions where one move wins it finds ${solved(last)}. In most of them the obvious move is a trap.`,
    }),
    h("figure", { class: "chart" }, [
      h("div", { class: "nine" }, [spread(last.choices, 9).map(choice)]),
      h(
        "figcaption",
        {},
        "What it would play now in nine of them: a tick on the only move that wins, a cross where it gives the win away.",
      ),
    ]),
  ];
}

const spread = (items, count) => Array.from({ length: count }, (_, k) => items[Math.floor((k * items.length) / count)]);

function choice({ moves, answer, move }) {
  const { cells, toMove } = placeOf(moves);
  const isRight = move === answer;
  const played = moveName(move, 5);
  const label = isRight
    ? `The learner plays ${played}, which wins`
    : `The learner plays ${played}, which loses; ${moveName(answer, 5)} wins`;
  const board = new Board({ size: 5, label, coordinates: false });
  board.show({ cells, marks: { [answer]: "won", ...(isRight ? {} : { [move]: "wrong" }) } });
  return h("div", { class: isRight ? "right" : "mistaken", title: label }, [
    board.element,
    h("small", {}, [
      h("i", { class: `disc small ${toMove}` }),
      " ",
      h("span", { class: isRight ? "good" : "bad" }, `${played} ${isRight ? "✓" : "✗"}`),
    ]),
  ]);
}

function drawTicTacToe(curve) {
  const line = (name, key) => ({ name, points: curve.map((at) => [at.games, at[key].mistakes / at[key].met]) });
  const { first, second, boards } = curve.at(-1);
  const wrong = ({ mistakes, met }) => `${number(mistakes)} of ${number(met)}`;
  const answers = boards[1].cells.flatMap((mark, cell) => (mark ? [] : [cell]));
  return [
    chart({
      lines: [line("as X", "first"), line("as O", "second")],
      x: "games as each side",
      y: "Positions where it gives a win or a draw away",
      percent: true,
      sentence: `Of all positions that an opponent can bring about: ${wrong(first)} as X, ${wrong(second)} as O. At 0 it never loses to anybody.`,
    }),
    chart({
      lines: answers.map((cell) => ({
        name: `${Math.floor(cell / 3)},${cell % 3}`,
        points: curve.map((at) => [at.games, at.boards[1].values[cell]]),
      })),
      x: "games as each side",
      y: "Value of each answer to X in the centre",
      least: -1,
      sentence:
        "A move that was never tried has the value of a win, so that each is tried. A line that stays flat is a move that it has given up.",
    }),
    h("div", { class: "squares" }, [
      square(boards[0], "The first move."),
      square(boards[1], "O's answer to X in the centre."),
    ]),
    h(
      "p",
      { class: "soft" },
      "Large, what each move is worth to the learner; below, what it is worth in truth: the average result against a random player with the best play from there on. Against best play all first moves draw.",
    ),
  ];
}

// The nine cells with their values, the better, the darker, and the true values below them.
function square({ cells, values, truth }, caption) {
  const at = (cell) => [(cell % 3) * 100, Math.floor(cell / 3) * 100];
  return h("figure", { class: "chart small" }, [
    s("svg", { viewBox: "0 0 300 300", role: "img", "aria-label": caption }, [
      cells.map((mark, cell) => {
        const [x, y] = at(cell);
        if (mark) return s("text", { class: "mark", x: x + 50, y: y + 50 }, " XO"[mark]);
        return [
          s("rect", {
            class: values[cell] >= 0 ? "plus" : "minus",
            x: x + 2,
            y: y + 2,
            width: 96,
            height: 96,
            rx: 8,
            "fill-opacity": (0.08 + 0.37 * Math.min(1, Math.abs(values[cell]))).toFixed(2),
          }),
          s("text", { x: x + 50, y: y + 42 }, number(values[cell], 2)),
          s("text", { class: "truth", x: x + 50, y: y + 72 }, `true: ${number(truth[cell], 2)}`),
        ];
      }),
    ]),
    h("figcaption", {}, caption),
  ]);
}
