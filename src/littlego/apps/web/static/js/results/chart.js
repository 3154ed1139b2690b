// A line chart.
//
//   chart({ lines: [{ name, points: [[x, y], ...] }], x: "games", y: "won", least: 0, most: 1, percent: true, sentence })

import { h, s } from "../dom.js";
import { number } from "../words.js";

const LEFT = 48;
const BOTTOM = 50;
const TOP = 12;
const RIGHT = 26;
const COLOURS = 9; // enough for a line for each first move of tic-tac-toe

export function chart({ lines, x, y, least = 0, most = 1, percent = false, sentence = "" }) {
  const small = innerWidth < 1100; // so that the text stays large enough to read
  const width = small ? 380 : 640;
  const height = small ? 240 : 300;
  const last = Math.max(1, ...lines.flatMap((line) => line.points.map(([at]) => at)));
  const sx = (value) => LEFT + ((width - LEFT - RIGHT) * value) / last;
  const sy = (value) => height - BOTTOM - ((height - BOTTOM - TOP) * (value - least)) / (most - least);
  const shown = (value) => (percent ? value.toLocaleString("en", { style: "percent" }) : number(value, 2));
  const at = ([x, y]) => `${sx(x).toFixed(1)} ${sy(Math.max(least, Math.min(most, y))).toFixed(1)}`;
  const marks = [];
  for (let k = 0; k <= 4; k++) {
    const value = least + ((most - least) * k) / 4;
    marks.push(
      s("path", { class: "rule", d: `M${LEFT} ${sy(value)}H${width - RIGHT}` }),
      s("text", { x: LEFT - 8, y: sy(value), class: "end" }, shown(value)),
      s("text", { x: sx((last * k) / 4), y: height - BOTTOM + 18 }, short((last * k) / 4)),
    );
  }
  const curves = lines.map(({ points }, k) =>
    s("path", { class: `line c${k % COLOURS}`, d: points.length ? `M${points.map(at).join("L")}` : "" }),
  );
  return h("figure", { class: "chart" }, [
    s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${y} by ${x}` }, [
      marks,
      curves,
      s("text", { x: width - RIGHT, y: height - 10, class: "end" }, x),
    ]),
    h("figcaption", {}, [
      h("b", {}, y),
      " ",
      lines.map(({ name, points }, k) =>
        h("span", { class: `key c${k % COLOURS}` }, name, points.length > 0 && ` ${shown(points.at(-1)[1])}`),
      ),
    ]),
    sentence && h("p", { class: "soft" }, sentence),
  ]);
}

function short(value) {
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)}M`;
  if (value >= 1e4) return `${Math.round(value / 1000)}k`;
  return String(Math.round(value));
}
