// Arena: upload agents and create tournaments. One agent and one tournament have pages of their own.

import { get, post, put } from "../api.js";
import { h, labelled, onSubmit, replace, select } from "../dom.js";
import { showAgent } from "./agent.js";
import { everyEntrant, showTournament } from "./tournament.js";

export const title = "Arena";

export async function show(main, [what, id], { go }) {
  if (what === "agent" && id) return showAgent(main, id, go);
  if (what === "tournament" && id) return showTournament(main, id, go);
  return showAll(main, go);
}

async function showAll(main, go) {
  const [agents, tournaments, entrants, about] = await Promise.all([
    get("/api/agents"),
    get("/api/tournaments"),
    everyEntrant(),
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
        entrants.map(([value, text]) => h("label", {}, h("input", { type: "checkbox", name: "players", value }), text)),
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
        about.student &&
          h("p", {}, [
            `You are ${about.student.name}. Only you and your teacher see your agents and games. `,
            `The name of your agents in tournaments is ${about.student.called}.`,
          ]),
      ]),
      h("div", { class: "columns" }, [
        h("section", { class: "card stack" }, [
          h("h2", {}, "Tournaments"),
          about.owner && newTournament,
          links("Tournaments", tournaments, (tournament) => [
            h("a", { href: `/arena/tournament/${tournament.id}` }, tournament.name),
            " ",
            h("small", {}, new Date(tournament.updated * 1000).toLocaleString()),
          ]),
        ]),
        h("section", { class: "card stack" }, [
          h("h2", {}, "Agents"),
          h("p", {}, [
            "A .zip file, or a file named as the course requires: my_player3.py, my_player.cpp, … Only the referee runs it, in its sandbox.",
          ]),
          h("form", { class: "stack", onsubmit: onSubmit(upload) }, [
            labelled("File", file),
            labelled("Name", name),
            h("button", {}, "Upload"),
          ]),
          about.local &&
            h("form", { class: "stack", onsubmit: onSubmit(pointAt) }, [
              labelled(
                "or a directory on this machine",
                h("input", { name: "path", placeholder: "path/to/agent", maxlength: 400 }),
              ),
              h("button", { class: "quiet" }, "Use this directory"),
            ]),
          links("Agents", agents, (agent) => [
            h("a", { href: `/arena/agent/${agent.id}` }, agent.label),
            about.owner && agent.student && ` of ${agent.student}`,
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
    const query = `name=${encodeURIComponent(plain)}&file=${encodeURIComponent(chosen.name)}`;
    const agent = await put(`/api/agents?${query}`, chosen);
    go(`/arena/agent/${agent.id}`);
  }

  async function pointAt({ path }) {
    const agent = await post("/api/agents", { player: path.trim() });
    go(`/arena/agent/${agent.id}`);
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

const links = (label, things, draw) =>
  things.length > 0 && h("ul", { class: "plain", "aria-label": label }, [things.map((one) => h("li", {}, draw(one)))]);
