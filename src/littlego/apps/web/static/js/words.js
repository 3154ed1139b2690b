// Numbers, points, colours and times as people read them.

export const number = (value, digits = 0) =>
  value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

// "{n} move left" for one, "{n} moves left" for any other count.
export const plural = (count, one, other) => (count === 1 ? one : other).replaceAll("{n}", number(count));

// 2.5 as "2½".
export const halves = (value) => `${Math.floor(value) || !(value % 1) ? Math.floor(value) : ""}${value % 1 ? "½" : ""}`;

// How a game ended, in the words of the server: "Black wins by ½ (11–10½)".
export const resultWords = (text) =>
  text.replace(/\b(\d+)\.5\b/g, (_, whole) => halves(Number(whole) + 0.5)).replace(/(?<=\(\d+½?)-(?=[\d½]+\))/, "–");

export const when = (seconds) =>
  new Date(seconds * 1000).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });

export const Colour = (colour) => (colour === "black" ? "Black" : "White");

// "A, B or C" and "A, B and C".
/** @param {string[]} names @param {"disjunction" | "conjunction"} type */
export const listed = (names, type = "disjunction") => new Intl.ListFormat("en", { type }).format(names);
