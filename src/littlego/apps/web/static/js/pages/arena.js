// Arena: agents are uploaded, checked and graded; tournaments are made, run and ranked.

import { follow, get, post, put, remove } from "../api.js";
import { capital, formValues, h, replace, toast } from "../dom.js";
import { forfeitLine, progressOf, UNFINISHED } from "../progress.js";

export const title = "Arena";

export async function show(main, [what, id], { go }) {
  if (what === "agent" && id) return showAgent(main, id, go);
  if (what === "tournament" && id) return showTournament(main, id, go);
  return showAll(main, go);
}

async function act(action) {
  try {
    return await action();
  } catch (error) {
    toast(capital(error.message), "error");
    return null;
  }
}

// How a job stands, with a way to stop it or to go on.
function bar(job) {
  const resume = () => act(() => post(`/api/jobs/${job.id}/resume`));
  const onward = h("button", { class: "quiet small", onclick: resume }, "Go on");
  if (job.state === "cancelled")
    return h("p", { class: "soft row" }, "Stopped. What was done until then is kept.", onward);
  if (job.state === "failed") return [h("p", { class: "bad" }, capital(job.message)), h("p", { class: "row" }, onward)];
  if (!UNFINISHED.includes(job.state)) return null;
  return h(
    "div",
    { class: "stack" },
    h("progress", { max: job.total || 1, value: job.total ? job.done : null, "aria-label": job.title }),
    h(
      "div",
      { class: "row" },
      h("small", {}, progressOf(job)),
      h("button", { class: "quiet small", onclick: () => act(() => post(`/api/jobs/${job.id}/cancel`)) }, "Stop"),
    ),
  );
}

async function showAll(main, go) {
  const [agents, tournaments, players, about] = await Promise.all([
    get("/api/agents"),
    get("/api/tournaments"),
    get("/api/players"),
    get("/api/about"),
  ]);
  const file = h("input", { type: "file", accept: ".zip,.py,.cpp,.java", required: true });
  const name = h("input", {
    name: "name",
    placeholder: "my-agent",
    maxlength: 40,
    pattern: "[A-Za-z0-9][A-Za-z0-9_.+\\-]*",
    title: "letters, digits and . _ + -",
  });
  const path = h("input", { name: "path", placeholder: "path/to/agent", maxlength: 400 });
  const field = names(agents, players);
  const made = h(
    "form",
    { class: "stack", onsubmit: makeTournament },
    h(
      "div",
      { class: "choice" },
      h(
        "label",
        {},
        h("span", {}, "Name"),
        h("input", { name: "name", value: "Tournament", maxlength: 60, required: true }),
      ),
      h(
        "label",
        {},
        h("span", {}, "Format"),
        h(
          "select",
          { name: "format" },
          [
            ["round-robin", "everyone meets everyone"],
            ["gauntlet", "everyone meets the first"],
            ["swiss", "Swiss: equals meet"],
          ].map(([value, text]) => h("option", { value }, text)),
        ),
      ),
      h(
        "label",
        {},
        h("span", {}, "Games a pair"),
        h("input", { name: "games", type: "number", min: 1, max: 1000, value: 4 }),
      ),
    ),
    h(
      "fieldset",
      {},
      h("legend", {}, "Players"),
      h(
        "div",
        { class: "checks" },
        field.map(([value, text]) => h("label", {}, h("input", { type: "checkbox", name: "players", value }), text)),
      ),
    ),
    h("button", {}, "Make and run"),
  );
  replace(
    main,
    h(
      "div",
      { class: "stack" },
      h(
        "header",
        {},
        h("h1", {}, "Arena"),
        h("p", { class: "lead" }, "Bring an agent, have it checked and graded, and let it meet the others."),
      ),
      h(
        "div",
        { class: "columns" },
        h(
          "div",
          { class: "stack" },
          h(
            "section",
            { class: "card stack" },
            h("h2", {}, "Tournaments"),
            made,
            links("Tournaments", tournaments, (one) => [
              h("a", { href: `/arena/tournament/${one.id}` }, one.name),
              " ",
              h("small", {}, new Date(one.updated * 1000).toLocaleString()),
            ]),
          ),
        ),
        h(
          "div",
          { class: "stack" },
          h(
            "section",
            { class: "card stack" },
            h("h2", {}, "Agents"),
            h(
              "p",
              {},
              "A .zip, or a file as the course names it: my_player3.py, my_player.cpp, … It is unpacked with care, and run by the referee alone.",
            ),
            h(
              "form",
              { class: "stack", onsubmit: upload },
              h("label", {}, h("span", {}, "File"), file),
              h("label", {}, h("span", {}, "Name"), name),
              h("button", {}, "Upload"),
            ),
            about.local &&
              h(
                "form",
                { class: "stack", onsubmit: pointAt },
                h("label", {}, h("span", {}, "or a directory on this machine"), path),
                h("button", { class: "quiet" }, "Use this directory"),
              ),
            links("Agents", agents, (agent) => [
              h("a", { href: `/arena/agent/${agent.id}` }, agent.label),
              " ",
              h("code", { class: "soft" }, `agent:${agent.id}`),
            ]),
          ),
        ),
      ),
    ),
  );

  function upload(event) {
    event.preventDefault();
    const chosen = file.files[0];
    act(async () => {
      const plain = (name.value.trim() || chosen.name.replace(/\.[a-z]+$/i, "")).replace(/[^A-Za-z0-9_.+-]/g, "_");
      const agent = await put(
        `/api/agents?name=${encodeURIComponent(plain)}&file=${encodeURIComponent(chosen.name)}`,
        chosen,
      );
      go(`/arena/agent/${agent.id}`);
    });
  }

  function pointAt(event) {
    event.preventDefault();
    act(async () => go(`/arena/agent/${(await post("/api/agents", { player: path.value.trim() })).id}`));
  }

  function makeTournament(event) {
    event.preventDefault();
    const { name, format, games } = formValues(made);
    const chosen = /** @type {string[]} */ (new FormData(made).getAll("players"));
    act(async () => {
      if (chosen.length < 2) throw new Error("choose two players or more");
      const tournament = await post("/api/tournaments", {
        name,
        format,
        games: Number(games),
        players: chosen,
      });
      await post(`/api/tournaments/${tournament.id}/run`);
      go(`/arena/tournament/${tournament.id}`);
    });
  }
}

const links = (label, things, draw) =>
  things.length > 0 &&
  h(
    "ul",
    { class: "plain", "aria-label": label },
    things.map((one) => h("li", {}, draw(one))),
  );

function names(agents, players) {
  return [
    ...agents.map((agent) => [`agent:${agent.id}`, agent.label]),
    ...players.filter((player) => player.name !== "strongest").map((player) => [player.name, player.name]),
  ];
}

// One agent

async function showAgent(main, id, go) {
  const agent = await get(`/api/agents/${id}`);
  const stops = [];
  const checkBox = h("div", { class: "stack" });
  const gradeBox = h("div", { class: "stack" });
  const gradings = h("div", {});
  let stopGrade = null;
  let graded = null;
  const form = h(
    "form",
    { class: "row", onsubmit: grade },
    h(
      "select",
      { name: "edition", "aria-label": "Edition" },
      ["2025", "2024", "2022", "2019"].map((year) => h("option", {}, year)),
    ),
    h(
      "select",
      { name: "stage", "aria-label": "Stage" },
      [
        ["submit", "what “submit” plays"],
        ["submit1", "“submit”, stage 1"],
        ["submit2", "“submit”, stage 2"],
        ["1", "stage 1"],
        ["2", "stage 2"],
        ["all", "everything"],
      ].map(([value, text]) => h("option", { value }, text)),
    ),
    h("button", {}, "Grade"),
    h("button", { class: "quiet", name: "again", value: "yes" }, "Grade again"),
  );
  replace(
    main,
    h(
      "div",
      { class: "stack" },
      h(
        "section",
        { class: "card stack" },
        h("h1", {}, agent.name),
        h("p", {}, "Play against it as ", h("code", {}, `agent:${id}`), "."),
        agent.path && h("p", { class: "soft" }, "From ", h("code", {}, agent.path), ", as it is there now."),
        h(
          "div",
          { class: "row" },
          h("button", { onclick: check }, "Check"),
          h("button", { class: "quiet", onclick: playIt }, "Play against it"),
          h(
            "button",
            {
              class: "quiet",
              onclick: () =>
                confirm("Delete this agent and its files?") &&
                act(async () => {
                  await remove(`/api/agents/${id}`);
                  go("/arena");
                }),
            },
            "Delete",
          ),
        ),
        checkBox,
      ),
      h("section", { class: "card stack" }, h("h2", {}, "Grade"), form, gradeBox, gradings),
    ),
  );
  if (agent.jobs.check) act(async () => watchCheck(await get(`/api/jobs/${agent.jobs.check}`)));
  if (agent.jobs.grade) act(async () => watchGrade(await get(`/api/jobs/${agent.jobs.grade}`)));

  function playIt() {
    act(async () =>
      go(`/play/${(await post("/api/games", { white: `agent:${id}`, names: { white: agent.name } })).id}`),
    );
  }

  function check() {
    act(async () => watchCheck(await post(`/api/agents/${id}/check`)));
  }

  function grade(event) {
    event.preventDefault();
    const { edition, stage } = formValues(form);
    const again = event.submitter?.name === "again";
    act(async () => watchGrade(await post(`/api/agents/${id}/grade`, { edition, stage, again })));
  }

  function watchCheck(job) {
    stops.push(
      follow(job, (update) =>
        replace(
          checkBox,
          bar(update),
          update.result &&
            h(
              "ul",
              { class: "findings" },
              update.result.checks.map((found) =>
                h(
                  "li",
                  {},
                  h("span", { class: tone(found.status), role: "img", "aria-label": found.status }, mark(found.status)),
                  h("b", {}, capital(found.title)),
                  found.detail && h("div", { class: "soft pre" }, found.detail),
                ),
              ),
            ),
        ),
      ),
    );
  }

  function watchGrade(job) {
    stopGrade?.();
    graded = null;
    stopGrade = follow(job, (update) => {
      if (update.state !== graded?.state || update.id !== graded.id) act(drawGradings);
      graded = update;
      replace(gradeBox, bar(update), update.result && drawGrade(update.result));
    });
  }

  // Every grading so far; the one that is shown above is marked.
  async function drawGradings() {
    const list = await get(`/api/agents/${id}/gradings`);
    replace(
      gradings,
      list.length > 0 && [
        h("h3", {}, "Gradings"),
        h(
          "table",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              ["when", "edition", "stage", "files", "points", ""].map((text) => h("th", { scope: "col" }, text)),
            ),
          ),
          h("tbody", {}, list.map(gradingRow)),
        ),
      ],
    );
  }

  function gradingRow(one) {
    const points = one.points === null ? "–" : `${round(one.points)} of ${one.max_points}`;
    return h(
      "tr",
      { "aria-current": one.job === graded?.id ? "true" : null },
      h("td", {}, new Date(one.created * 1000).toLocaleString()),
      h("td", {}, one.edition),
      h("td", {}, one.stage),
      h("td", {}, h("code", { title: "changes with the agent's files" }, one.digest.slice(0, 7) || "–")),
      h("td", {}, one.complete ? points : UNFINISHED.includes(one.state) ? one.state : `${points}, ${one.state}`),
      h(
        "td",
        {},
        h(
          "button",
          { class: "quiet small", onclick: () => act(async () => watchGrade(await get(`/api/jobs/${one.job}`))) },
          "Show",
        ),
        one.report && h("a", { href: `/api/agents/${id}/gradings/${one.id}/report.html`, download: "" }, "report"),
      ),
    );
  }

  function drawGrade(report) {
    const best = report.repeats[report.counted_repeat - 1] ?? report.repeats[0];
    const forfeited = forfeitLine(report);
    return [
      h(
        "p",
        { class: "says end" },
        `${round(report.points)} of ${report.max_points} points${report.complete ? "" : " so far"}`,
      ),
      forfeited && h("p", { class: "bad" }, forfeited),
      report.problem && h("pre", { class: "bad pre" }, report.problem),
      best.batches.map((batch) =>
        h(
          "div",
          { class: "scroll" },
          h("h3", {}, `${batch.title}: ${round(batch.points)} of ${batch.max_points}`),
          h(
            "table",
            {},
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                ["opponent", "won", "95%", "different games", "points", "the rubric's line"].map((text, k) =>
                  h(
                    "th",
                    { scope: "col", class: WIDE_GRADE.includes(k) ? "number wide" : k > 0 && k < 5 ? "number" : null },
                    text,
                  ),
                ),
              ),
            ),
            h(
              "tbody",
              {},
              batch.opponents.map((row) =>
                h(
                  "tr",
                  {},
                  h("td", {}, row.opponent),
                  h("td", { class: "number" }, `${row.wins}/${row.games}`),
                  h("td", { class: "number wide" }, row.games ? interval(row.interval_95) : "–"),
                  h("td", { class: "number wide" }, String(row.distinct_games)),
                  h("td", { class: "number" }, `${round(row.points)}/${row.max_points}`),
                  h("td", {}, row.games || report.complete ? row.rubric_line : "no game yet"),
                ),
              ),
            ),
          ),
          h("p", { class: "soft" }, `${round(batch.cpu_seconds)} s of CPU time, of ${batch.budget_seconds} s.`),
          batch.opponents.some((row) => row.lost.length) &&
            h(
              "details",
              {},
              h("summary", {}, "Games that were not won"),
              h(
                "ul",
                { class: "plain" },
                batch.opponents.flatMap((row) =>
                  row.lost.map((lost) =>
                    h(
                      "li",
                      {},
                      `${row.opponent}, ${lost.colour}: ${lost.outcome}. `,
                      h(
                        "button",
                        {
                          class: "quiet small",
                          onclick: () =>
                            act(async () =>
                              go(
                                `/review/${(await post("/api/games/import", { text: JSON.stringify(lost.record) })).id}`,
                              ),
                            ),
                        },
                        "Review",
                      ),
                      lost.stderr && h("pre", { class: "pre soft" }, lost.stderr),
                    ),
                  ),
                ),
              ),
            ),
        ),
      ),
      report.isolation && h("p", { class: "soft" }, `Played at ${report.isolation}.`),
    ];
  }

  return () => {
    stops.forEach((stop) => stop());
    stopGrade?.();
  };
}

const tone = (status) => ({ passed: "good", failed: "bad", remark: "even" })[status] ?? "soft";
const mark = (status) => ({ passed: "✓", failed: "✗", remark: "!" })[status] ?? "–";
const round = (value) => String(Math.round(value * 100) / 100);
const WIDE_GRADE = [2, 3]; // columns that a phone does without
const WIDE_STANDINGS = [3, 5, 6, 8];
const interval = ([low, high]) => `${Math.round(100 * low)}–${Math.round(100 * high)}%`;

// One tournament

async function showTournament(main, id, go) {
  let tournament = await get(`/api/tournaments/${id}`);
  let job = null;
  let forget = null;
  let last = 0;
  const [players, agents] = await Promise.all([get("/api/players"), get("/api/agents")]);
  const progress = h("div", {});
  const tables = h("div", { class: "stack" });
  const games = h("div", { class: "stack" });
  const joining = h(
    "select",
    { "aria-label": "Player" },
    names(agents, players).map(([value, text]) => h("option", { value }, text)),
  );
  replace(
    main,
    h(
      "div",
      { class: "stack" },
      h(
        "section",
        { class: "card stack" },
        h("h1", {}, tournament.name),
        progress,
        h(
          "div",
          { class: "row" },
          h("button", { onclick: run }, "Play on"),
          joining,
          h(
            "button",
            {
              class: "quiet",
              onclick: () =>
                act(async () => {
                  tournament = await post(`/api/tournaments/${id}/players`, { players: [joining.value] });
                  draw();
                }),
            },
            "Add player",
          ),
          h("a", { class: "button quiet", href: `/api/tournaments/${id}/report.html`, download: "" }, "Report"),
        ),
      ),
      tables,
      games,
    ),
  );
  draw();
  drawGames();
  if (tournament.job) act(async () => watch(await get(`/api/jobs/${tournament.job}`)));

  function run() {
    act(async () => watch(await post(`/api/tournaments/${id}/run`)));
  }

  function watch(begun) {
    forget?.();
    forget = follow(begun, async (next) => {
      const ended = job && UNFINISHED.includes(job.state) && !UNFINISHED.includes(next.state);
      job = next;
      replace(progress, bar(next));
      if (ended || performance.now() - last > 1500) {
        last = performance.now();
        await act(async () => {
          tournament = await get(`/api/tournaments/${id}`);
          draw();
          await drawGames();
        });
      }
    });
  }

  function draw() {
    const rows = tournament.standings;
    const rated = rows.filter((row) => row.rating !== undefined);
    replace(
      tables,
      h(
        "section",
        { class: "card scroll", tabindex: "0", "aria-label": "Standings" },
        h("h2", {}, `Standings after ${tournament.games} of ${tournament.planned_games} games`),
        h(
          "table",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              ["", "player", "rating", "95%", "won", "as Black", "as White", "forfeits", "different games"].map(
                (text, k) =>
                  h(
                    "th",
                    { scope: "col", class: k < 2 ? null : WIDE_STANDINGS.includes(k) ? "number wide" : "number" },
                    text,
                  ),
              ),
            ),
          ),
          h(
            "tbody",
            {},
            rows.map((row, k) =>
              h(
                "tr",
                {},
                h("td", {}, String(k + 1)),
                h("td", {}, row.player),
                h("td", { class: "number" }, row.rating === undefined ? "–" : Math.round(row.rating)),
                h(
                  "td",
                  { class: "number wide" },
                  row.rating_interval_95 ? row.rating_interval_95.map(Math.round).join(" to ") : "",
                ),
                h("td", { class: "number" }, `${row.wins}/${row.games}`),
                h("td", { class: "number wide" }, `${row.as_black.wins}–${row.as_black.losses}`),
                h("td", { class: "number wide" }, `${row.as_white.wins}–${row.as_white.losses}`),
                h("td", { class: "number" }, String(row.forfeits)),
                h("td", { class: "number wide" }, String(row.distinct_games)),
              ),
            ),
          ),
        ),
      ),
      rated.length > 1 &&
        h(
          "section",
          { class: "card" },
          h("h2", {}, "Ratings"),
          h("p", { class: "soft" }, "The dot is the estimate, the line its 95% interval."),
          ratings(rated),
        ),
      rows.length > 1 &&
        rows.length <= 40 &&
        h(
          "section",
          { class: "card scroll", tabindex: "0", "aria-label": "Who beat whom" },
          h("h2", {}, "Who beat whom"),
          h("p", { class: "soft" }, "What the player in the row won, in per cent of their games; a tie counts half."),
          crosstable(rows),
        ),
    );
  }

  function ratings(rows) {
    const low = Math.min(...rows.map((row) => row.rating_interval_95[0]));
    const high = Math.max(...rows.map((row) => row.rating_interval_95[1]));
    const share = (value) => 2 + (96 * (value - low)) / Math.max(1, high - low);
    const place = (element, left, width) => {
      element.style.left = `${left}%`;
      if (width !== undefined) element.style.width = `${width}%`;
      return element;
    };
    return h(
      "dl",
      { class: "ratings" },
      rows.map((row) => {
        const [from, to] = row.rating_interval_95.map(share);
        return [
          h("dt", { title: row.player }, row.player),
          h(
            "dd",
            { class: "track", "aria-hidden": "true" },
            place(h("span", { class: "span" }), from, to - from),
            place(h("span", { class: "dot" }), share(row.rating)),
          ),
          h("dd", {}, String(Math.round(row.rating))),
        ];
      }),
    );
  }

  function crosstable(rows) {
    const share = new Map();
    for (const pair of tournament.crosstable ?? []) {
      const add = (one, other, wins) => {
        const key = `${one}\n${other}`;
        const [won, all] = share.get(key) ?? [0, 0];
        share.set(key, [won + wins, all + pair.games]);
      };
      add(pair.black, pair.white, pair.black_wins + (pair.ties ?? 0) / 2);
      add(pair.white, pair.black, pair.white_wins + (pair.ties ?? 0) / 2);
    }
    return h(
      "table",
      { class: "cross" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("td", {}),
          rows.map((row) => h("th", { scope: "col" }, row.player)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, row.player),
            rows.map((other) => {
              const found = share.get(`${row.player}\n${other.player}`);
              if (!found || !found[1]) return h("td", {}, "");
              const rate = found[0] / found[1];
              const cell = h(
                "td",
                {
                  class: "number",
                  title: `${row.player} has ${found[0]} of ${found[1]} points against ${other.player}`,
                },
                `${Math.round(100 * rate)}`,
              );
              cell.style.background = `color-mix(in srgb, var(${rate >= 0.5 ? "--good" : "--bad"}) ${Math.round(70 * Math.abs(rate - 0.5))}%, transparent)`;
              return cell;
            }),
          ),
        ),
      ),
    );
  }

  async function drawGames() {
    const list = await get(`/api/tournaments/${id}/games?most=40`);
    replace(
      games,
      list.length > 0 &&
        h(
          "section",
          { class: "card" },
          h("h2", {}, "Last games"),
          h(
            "div",
            { class: "scroll list", tabindex: "0", "aria-label": "Last games", role: "group" },
            h(
              "table",
              {},
              h(
                "thead",
                {},
                h(
                  "tr",
                  {},
                  ["Black", "White", "result", ""].map((text) => h("th", { scope: "col" }, text)),
                ),
              ),
              h(
                "tbody",
                {},
                list.map((game) =>
                  h(
                    "tr",
                    {},
                    h("td", {}, h("span", { class: "disc small black" }), ` ${game.black}`),
                    h("td", {}, h("span", { class: "disc small white" }), ` ${game.white}`),
                    h("td", { class: game.forfeit ? "bad" : null }, game.text),
                    h(
                      "td",
                      {},
                      h(
                        "button",
                        {
                          class: "quiet small",
                          "aria-label": `Replay ${game.black} against ${game.white}`,
                          onclick: () =>
                            act(async () =>
                              go(`/review/${(await post(`/api/tournaments/${id}/games/${game.number}/open`)).id}`),
                            ),
                        },
                        "Replay",
                      ),
                      game.capsule &&
                        h(
                          "a",
                          { href: `/api/tournaments/${id}/games/${game.number}/capsule.json`, download: "" },
                          "capsule",
                        ),
                    ),
                  ),
                ),
              ),
            ),
          ),
        ),
    );
  }

  return () => forget?.();
}
