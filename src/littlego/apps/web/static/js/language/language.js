// The language of the pages. Sentences are written in English where they are shown, and one table for each other language
// (de.js) gives them in it. To add a language: translate such a table, and name it in LANGUAGES.
//
//   t("Move {number}", { number: 3 })                 "Move 3", "Zug 3"
//   tn(2, "{n} move left.", "{n} moves left.")        by number; a table has one text for each plural form of its language
//   tx("{key} passes", { key: h("kbd", {}, "p") })    a list, with elements in it
//   ts("2 of 24 moves keep the win.")                 a sentence of the server, by the patterns of the table

export const LANGUAGES = [
  ["en", "English"],
  ["de", "Deutsch"],
];

// The language that was chosen here, else the first of the browser's that there is, else English.
function preferred() {
  const isKnown = (code) => LANGUAGES.some(([known]) => known === code);
  const kept = globalThis.localStorage?.getItem("language");
  if (isKnown(kept)) return kept;
  const wished = (globalThis.navigator?.languages ?? []).map((tag) => tag.split("-")[0]);
  return wished.find(isKnown) ?? "en";
}

export const language = preferred();

/** @type {{ sentences: Record<string, string | string[]>, fromServer: Record<string, string> }} */
const table = language === "en" ? { sentences: {}, fromServer: {} } : await import(`./${language}.js`);

export const t = (english, values = {}) => fill(String(table.sentences[english] ?? english), values);

export function tn(count, one, other, values = {}) {
  const translated = table.sentences[other];
  const forms = translated ? [translated].flat() : [one, other];
  return fill(formOf(count, forms, language), { n: number(count), ...values });
}

// The plural forms of a table are in the order of the language's categories, as Intl.PluralRules names them.
export function formOf(count, forms, code) {
  const rules = new Intl.PluralRules(code);
  const order = ["zero", "one", "two", "few", "many", "other"];
  const categories = rules.resolvedOptions().pluralCategories.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return forms[Math.min(categories.indexOf(rules.select(count)), forms.length - 1)];
}

export function tx(english, values) {
  const parts = String(table.sentences[english] ?? english).split(/\{(\w+)\}/);
  return parts.map((part, k) => (k % 2 ? values[part] : part)).filter((part) => part !== "");
}

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));

// Patterns: {name} is any text, {n}, {n1}, … a whole number, {#name} any number, which is written as in the language,
// {@name} points; {*name} is itself a sentence of the server.
const KINDS = { "@": "([\\d, ]+|a pass)", "#": "([\\d,]+(?:\\.\\d+)?)" };
const READ = { "*": ts, "#": (text) => Number(text.replaceAll(",", "")).toLocaleString(language) };
const patterns = Object.entries(table.fromServer).map(([english, translated]) => {
  const names = [];
  const source = english.split(/\{([*@#]?\w+)\}/).map((part, k) => {
    if (k % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    names.push(part);
    return /^n\d*$/.test(part) ? "(\\d+)" : (KINDS[part[0]] ?? "(.+?)");
  });
  return { expression: new RegExp(`^${source.join("")}$`), names, translated };
});

export function ts(text) {
  for (const { expression, names, translated } of patterns) {
    const found = expression.exec(text);
    if (!found) continue;
    const values = {};
    names.forEach((name, k) => (values[name.replace(/[*@#]/, "")] = READ[name[0]]?.(found[k + 1]) ?? found[k + 1]));
    return fill(translated, values);
  }
  return text;
}

export const number = (value, digits = 0) =>
  value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });

// 2.5 as "2½".
export const halves = (value) => `${Math.floor(value) || !(value % 1) ? Math.floor(value) : ""}${value % 1 ? "½" : ""}`;

// How a game ended, in the words of the server: "Black wins by ½ (11–10½)".
export const resultWords = (text) =>
  ts(text)
    .replace(/\b(\d+)\.5\b/g, (_, whole) => halves(Number(whole) + 0.5))
    .replace(/(?<=\(\d+½?)-(?=[\d½]+\))/, "–");

export const when = (seconds) =>
  new Date(seconds * 1000).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });

export const Colour = (colour) => (colour === "black" ? t("Black") : t("White"));
export const aColour = (colour) => (colour === "black" ? t("black") : t("white"));

// "A, B or C" and "A, B and C".
/** @param {string[]} names @param {"disjunction" | "conjunction"} type */
export const listed = (names, type = "disjunction") => new Intl.ListFormat(language, { type }).format(names);
