// Arena: upload agents and create tournaments. One agent and one tournament have pages of their own.

import { button, h, labelled, onSubmit, replace, select } from "../dom.js";
import { listed, when } from "../words.js";
import { about, get, post, put, signOut } from "../server/api.js";

export const title = "Arena";

export async function show(main, [what, id], { go }) {
  if (what === "agent" && id) return (await import("./agent.js")).showAgent(main, id, go);
  if (what === "tournament" && id) return (await import("./tournament.js")).showTournament(main, id, go);
  if (what === "wall") return (await import("./wall.js")).showWall(main, id);
  return showAll(main, go);
}

const called = (agent) => agent.name + (agent.student ? ` of ${agent.student}` : "");

// Who can take part in a tournament, as choices.
export const entrants = (agents, players) => [
  ...agents.map((agent) => [`agent:${agent.id}`, called(agent)]),
  ...players.filter((name) => name !== "strongest").map((name) => [name, name]),
];

const mine = ({ due, receipt }) =>
  `The homework is due ${when(due)}. ${receipt ? `You handed in ${receipt.name}, version ${receipt.version}.` : "You have not handed in anything: it is done on the agent's page."}`;

// Every opponent can be played in the browser, where its code is, and so can the solution: only gradings are refused.
const classSoFar = ({ due, edition, handed_in, students, reserved }) =>
  `The homework, edition ${edition}, is due ${when(due)}; ${handed_in} of ${students} have handed in, into the folder handed-in.` +
  (reserved.length
    ? ` Until then students cannot be graded against ${listed(reserved, "conjunction")} here, but anybody can play it, and see exact values, on these pages.`
    : "");

async function showAll(main, go) {
  const [agents, tournaments] = await Promise.all([get("/api/agents"), get("/api/tournaments")]);
  const server = await about(); // after those, which may ask who you are
  const homework = server.has_class ? await get("/api/homework") : null;
  const file = h("input", { type: "file", accept: ".zip,.py,.cpp,.java", required: true });
  const name = h("input", {
    name: "name",
    placeholder: "my-agent",
    maxlength: 40,
    pattern: "[A-Za-z0-9][A-Za-z0-9_.+\\-]*",
    title: "letters, digits and . _ + -",
  });
  const newTournament = h("form", { class: "stack", onsubmit: onSubmit(createTournament) }, [
    h("div", { class: "choice" }, [
      labelled("Name", h("input", { name: "name", value: "Tournament", maxlength: 60, required: true })),
      labelled(
        "Format",
        select({ name: "format" }, [
          ["round-robin", "round robin"],
          ["gauntlet", "gauntlet: the first plays all"],
          ["swiss", "Swiss"],
        ]),
      ),
      labelled("Games per pair", h("input", { name: "games", type: "number", min: 1, max: 1000, value: 4 })),
      labelled(
        "Openings",
        select({ name: "openings" }, [
          ["0", "none"],
          ["1", "1 move"],
          ["2", "2 moves"],
          ["3", "3 moves"],
        ]),
      ),
    ]),
    h("fieldset", {}, [
      h("legend", {}, "Players"),
      h("div", { class: "checks" }, [
        entrants(agents, server.players).map(([value, text]) =>
          h("label", {}, h("input", { type: "checkbox", name: "players", value }), text),
        ),
      ]),
    ]),
    h("button", {}, "Create and run"),
  ]);
  replace(
    main,
    h("div", { class: "stack" }, [
      h("header", {}, [
        h("h1", {}, "Arena"),
        h("p", { class: "lead" }, "Bring an agent, have it checked and graded, and let it play the others."),
        server.student &&
          h("p", {}, [
            `You are ${server.student.name}. Only you and your teacher see your agents and games. The name of your agents in tournaments is ${server.student.called}.`,
            " ",
            button("Sign out", "quiet small", signOut),
          ]),
        homework && h("p", {}, server.owner ? classSoFar(homework) : mine(homework)),
      ]),
      h("div", { class: "columns" }, [
        h("section", { class: "card stack" }, [
          h("div", { class: "row between" }, [
            h("h2", {}, "Tournaments"),
            server.owner && h("a", { href: "#/arena/wall" }, "On the wall"),
          ]),
          server.owner && newTournament,
          !server.owner && !tournaments.length && h("p", { class: "soft" }, "No tournament yet."),
          links("Tournaments", tournaments, (tournament) => [
            h("a", { href: `#/arena/tournament/${tournament.id}` }, tournament.name),
            " ",
            h("small", {}, when(tournament.updated)),
          ]),
        ]),
        h("section", { class: "card stack" }, [
          h("h2", {}, "Agents"),
          agents.length === 0 && starterKit(useKit),
          h("p", {}, [
            "A .zip file, or a file named as the course requires: my_player3.py, my_player.cpp, … Only the referee runs it, in its sandbox.",
          ]),
          h("form", { class: "stack", onsubmit: onSubmit(upload) }, [
            labelled("File", file),
            labelled("Name", name),
            h("button", {}, "Upload"),
          ]),
          links("Agents", agents, (agent) => [
            h("a", { href: `#/arena/agent/${agent.id}` }, agent.name),
            server.owner && agent.student && ` of ${agent.student}`,
            " ",
            h("code", { class: "soft" }, `agent:${agent.id}`),
          ]),
        ]),
      ]),
    ]),
  );

  async function upload() {
    const chosen = file.files[0];
    const plain = (name.value.trim() || chosen.name.replace(/\.[a-z]+$/i, "")).replace(/[^A-Za-z0-9_.+-]/g, "_");
    await take(plain, chosen.name, chosen);
  }

  async function take(name, file, blob) {
    const query = `name=${encodeURIComponent(name)}&file=${encodeURIComponent(file)}`;
    const agent = await put(`/api/agents?${query}`, blob);
    go(`/arena/agent/${agent.id}`);
  }

  async function useKit(language) {
    const answer = await fetch(kitOf(language));
    if (!answer.ok) throw new Error("The kit could not be downloaded.");
    await take("my-agent", "my-agent.zip", await answer.blob());
  }

  async function createTournament({ name, format, games, openings }) {
    const players = /** @type {string[]} */ (new FormData(newTournament).getAll("players"));
    if (players.length < 2) throw new Error("choose two players or more");
    const numbers = { games: Number(games), openings: Number(openings) };
    const tournament = await post("/api/tournaments", { name, format, players, ...numbers });
    await post(`/api/tournaments/${tournament.id}/run`);
    go(`/arena/tournament/${tournament.id}`);
  }
}

const KITS = [
  ["python", "Python"],
  ["c++", "C++"],
  ["java", "Java"],
];
const kitOf = (language) => `api/kits/${encodeURIComponent(language)}.zip`;

const starterKit = (use) =>
  h("div", {}, [
    h("p", {}, [
      "No agent yet? Download a starter kit: ",
      KITS.map(([language, name]) => [h("a", { href: kitOf(language), download: "" }, name), " "]),
    ]),
    h("p", { class: "row" }, [
      "Or try it here as it is: ",
      KITS.map(([language, name]) => button(`Use ${name}`, "quiet small", () => use(language))),
    ]),
    h("ol", {}, [
      h("li", {}, "Its agent already plays: upload the .zip as it is, and have it checked and graded."),
      h(
        "li",
        {},
        "It reads the boards before and now from input.txt, and writes a move like 2,3 or PASS to output.txt.",
      ),
      h("li", {}, "Improve it, and upload it again. Its build.sh plays it against random on your own machine."),
    ]),
  ]);

const links = (label, things, draw) =>
  things.length > 0 && h("ul", { class: "plain", "aria-label": label }, [things.map((one) => h("li", {}, draw(one)))]);
