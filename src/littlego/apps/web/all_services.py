"""The services of a server, made when it starts and closed when it ends."""

from __future__ import annotations

import asyncio

from littlego.apps.web.cohort import rights
from littlego.apps.web.jobs.queue import Jobs
from littlego.apps.web.pool.pool import PlayerPool
from littlego.apps.web.pool.tasks import warm_up
from littlego.apps.web.services.agents import Agents
from littlego.apps.web.services.analyst import Analyst
from littlego.apps.web.services.decks import Decks, persons_folder
from littlego.apps.web.services.editions import Editions
from littlego.apps.web.services.games import Games
from littlego.apps.web.services.gradings import Gradings
from littlego.apps.web.services.news import Hub
from littlego.apps.web.services.store import ServerStore
from littlego.apps.web.services.tournaments import Tournaments
from littlego.apps.web.settings import ServerSettings


class Services:
    """The services of one server. Made inside its event loop."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.store = ServerStore(settings.data / "arena.sqlite")
        self.hub = Hub()
        self.pool = PlayerPool(settings.workers)
        self.analyst = Analyst(self.hub, settings.data / "oracle.sqlite", memory=settings.memory)
        self.jobs = Jobs(self.store, self.hub, settings.data, settings.jobs_at_once)
        self.editions = Editions(settings.data)
        self.agents = Agents(self.store, settings)
        self.gradings = Gradings(self.store, self.agents, self.jobs, settings.data, self.editions)
        self.games = Games(self.store, self.hub, self.pool, self.agents, settings)
        self._decks: dict[str, Decks] = {}
        self.tournaments = Tournaments(self.store, settings.data, self.agents)
        self._warming: asyncio.Task[None] | None = None

    def decks(self, person: str) -> Decks:
        """The decks and the score of the owner, or of a student."""
        # Asked for from several threads, which must share the lock of one `Decks`.
        found = Decks(persons_folder(self.settings.data, person), rights.DECKS if person else None)
        return self._decks.setdefault(person, found)

    def owner_of(self, kind: str, name: str) -> str | None:
        """Whose something is, a student's key or empty for the server's owner; None if it does not exist."""
        return self.jobs.person_of(name) if kind == "job" else self.store.person_of(kind, name)

    def warm_up(self) -> None:
        """Compile strong players in the background, before somebody waits for their first move."""
        self._warming = asyncio.create_task(self.pool.of("", "perfect").ask(warm_up))

    async def close(self) -> None:
        """Stop everything. The next server continues games and jobs."""
        if self._warming is not None:
            self._warming.cancel()
        self.games.close()
        await self.jobs.close()
        self.tournaments.close()
        self.analyst.close()
        self.pool.close()
        self.store.close()
