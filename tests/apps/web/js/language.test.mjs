// Every sentence of the pages is in the table of each language, with the same places to fill in.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const STATIC = new URL("../../../../src/littlego/apps/web/static/", import.meta.url);
const { formOf, LANGUAGES } = await import(new URL("js/language/language.js", STATIC));
const coordinates = await import(new URL("js/language/coordinates.js", STATIC));

const LITERAL = String.raw`"((?:[^"\\]|\\.)*)"`;
const ONE = new RegExp(String.raw`\b(?:t|tx)\(\s*${LITERAL}`, "g");
const COUNTED = new RegExp(String.raw`\btn\((?:[^"()]|\((?:[^()]*)\))*?,\s*${LITERAL},\s*${LITERAL}`, "g");
const places = (text) => [...text.matchAll(/\{[*@#]?(\w+)\}/g)].map((found) => found[1]).sort();

// The sentences in the source: [English, whether it is counted].
function written() {
  const found = new Map();
  for (const name of readdirSync(new URL("js/", STATIC), { recursive: true })) {
    if (!name.endsWith(".js") || name.startsWith("language/language") || /language\/\w\w\.js$/.test(name)) continue;
    const text = readFileSync(new URL(`js/${name}`, STATIC), "utf-8");
    const counted = [...text.matchAll(COUNTED)];
    assert.equal(counted.length, [...text.matchAll(/\btn\(/g)].length, `${name}: tn takes its sentences as they are`);
    for (const [, sentence] of text.matchAll(ONE)) found.set(JSON.parse(`"${sentence}"`), false);
    for (const [, one, other] of counted) {
      assert.deepEqual(places(one), places(other), one);
      found.set(JSON.parse(`"${other}"`), true);
    }
  }
  const frame = readFileSync(new URL("index.html", STATIC), "utf-8");
  for (const [, text] of frame.matchAll(/data-t>([^<]+)</g)) found.set(text, false);
  for (const [, text] of frame.matchAll(/aria-label="([^"]+)"[^>]*data-t="aria-label"/g)) found.set(text, false);
  for (const colour of ["Black", "White", "black", "white"]) found.set(colour, false);
  return found;
}

for (const [code] of LANGUAGES.filter(([code]) => code !== "en")) {
  const { sentences, fromServer } = await import(new URL(`js/language/${code}.js`, STATIC));

  test(`${code} has every sentence, and no other`, () => {
    const source = written();
    assert.ok(source.size > 300);
    assert.deepEqual([...source.keys()].filter((english) => !(english in sentences)).sort(), []);
    assert.deepEqual(
      Object.keys(sentences)
        .filter((english) => !source.has(english))
        .sort(),
      [],
    );
    const forms = new Intl.PluralRules(code).resolvedOptions().pluralCategories.length;
    for (const [english, isCounted] of source) {
      assert.equal([sentences[english]].flat().length, isCounted ? forms : 1, english);
      for (const text of [sentences[english]].flat()) assert.deepEqual(places(text), places(english), english);
    }
  });

  test(`${code} fills in what the server says`, () => {
    for (const [english, translated] of Object.entries(fromServer))
      assert.deepEqual(places(translated), places(english));
  });
}

test("numbers of the server are written as in the language", async () => {
  globalThis.localStorage = { getItem: () => "de" };
  try {
    const german = await import(new URL("js/language/language.js?de", STATIC));
    assert.equal(
      german.ts("Little-Go, 20,000 games, rate 1, exploration 0.1, seed 1"),
      "Little-Go, 20.000 Partien, Lernrate 1, Erkundung 0,1, Startzahl 1",
    );
    assert.equal(german.ts("2,3: the point is occupied"), "2,3: der Punkt ist besetzt");
  } finally {
    delete globalThis.localStorage;
  }
});

test("plural forms are chosen by the rules of the language", () => {
  const german = ["ein Zug", "Züge"];
  assert.deepEqual(
    [0, 1, 2].map((count) => formOf(count, german, "de")),
    ["Züge", "ein Zug", "Züge"],
  );
  const polish = ["ruch", "ruchy", "ruchów", "ruchu"];
  assert.deepEqual(
    [1, 2, 5, 22, 1.5].map((count) => formOf(count, polish, "pl")),
    ["ruch", "ruchy", "ruchów", "ruchy", "ruchu"],
  );
});

test("points are called as people chose", () => {
  const { moveName, withNames } = coordinates;
  assert.equal(moveName("2,3", 5), "2,3");
  globalThis.localStorage = { getItem: (name) => (name === "coordinates" ? "letters" : null) };
  try {
    assert.deepEqual(
      ["0,0", "4,4", "2,2", "PASS"].map((move) => moveName(move, 5)),
      ["A5", "E1", "C3", "PASS"],
    );
    assert.equal(moveName("0,8", 9), "J9", "there is no I");
    assert.equal(
      withNames("2,1 or 3,3 would have won, after 1,000 games", 5),
      "B3 or D2 would have won, after 1,000 games",
    );
    assert.deepEqual(coordinates.edgeNames(3), { columns: ["A", "B", "C"], rows: ["3", "2", "1"] });
  } finally {
    delete globalThis.localStorage;
  }
});
