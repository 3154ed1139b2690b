// A line chart that is drawn anew whenever there is more to show.
//
//   chart({ lines: [{ name, points: [[x, y], ...] }], x: "games", y: "won", least: 0, most: 1, percent: true })

import { h, s } from "./dom.js";

const LEFT = 48;
const BOTTOM = 34;
const TOP = 12;
const RIGHT = 26;
const COLOURS = 9; // as many lines are told apart by colour: a value for each move of tic-tac-toe

export function chart({ lines, x, y, least = 0, most = 1, percent = false, label = undefined }) {
  const small = innerWidth < 1100; // so that the text stays large enough to read
  const width = small ? 380 : 640;
  const height = small ? 240 : 300;
  const ends = lines.flatMap((line) => line.points.map(([at]) => at));
  const last = Math.max(1, ...ends);
  const sx = (value) => LEFT + ((width - LEFT - RIGHT) * value) / last;
  const sy = (value) => height - BOTTOM - ((height - BOTTOM - TOP) * (value - least)) / (most - least);
  const marks = [];
  for (let k = 0; k <= 4; k++) {
    const value = least + ((most - least) * k) / 4;
    marks.push(
      s("path", { class: "rule", d: `M${LEFT} ${sy(value)}H${width - RIGHT}` }),
      s(
        "text",
        { x: LEFT - 8, y: sy(value), class: "end" },
        percent ? `${Math.round(100 * value)}%` : value.toFixed(2),
      ),
    );
    const at = (last * k) / 4;
    marks.push(s("text", { x: sx(at), y: height - BOTTOM + 18 }, short(at)));
  }
  const curves = lines.map((line, k) =>
    s("path", {
      class: `line c${k % COLOURS}`,
      d: line.points
        .map(
          ([at, value], n) =>
            `${n ? "L" : "M"}${sx(at).toFixed(1)} ${sy(Math.max(least, Math.min(most, value))).toFixed(1)}`,
        )
        .join(""),
    }),
  );
  return h(
    "figure",
    { class: "chart" },
    s(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label ?? `${y} by ${x}` },
      marks,
      curves,
      s("text", { x: width - RIGHT, y: height - BOTTOM - 10, class: "end" }, x),
    ),
    h(
      "figcaption",
      {},
      h("b", {}, y),
      " ",
      lines.map((line, k) =>
        h(
          "span",
          { class: `key c${k % COLOURS}` },
          line.name,
          line.points.length
            ? ` ${percent ? `${Math.round(100 * line.points.at(-1)[1])}%` : line.points.at(-1)[1].toFixed(2)}`
            : "",
        ),
      ),
    ),
  );
}

function short(value) {
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)}M`;
  if (value >= 1e4) return `${Math.round(value / 1000)}k`;
  return String(Math.round(value));
}
