"""`littlego compare`: did a change help?"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from littlego.apps.cli import completion, options, oracles, output
from littlego.apps.cli.arena.match import StoredMatch, chosen_openings
from littlego.core.errors import UsageError
from littlego.storage.files import plain_name

if TYPE_CHECKING:
    from littlego.arena.participants import Entrant
    from littlego.arena.sprt import Against, SequentialTest, Swept
    from littlego.core.game import GameRecord
    from littlego.review.regret import Regret

_SHOWN = 5


def compare(
    old: Annotated[
        str,
        typer.Argument(
            help="The version before: a directory, a .zip, or any player.", autocompletion=completion.players
        ),
    ],
    new: Annotated[str, typer.Argument(help="The version after.", autocompletion=completion.players)],
    *,
    versus: Annotated[
        list[str] | None,
        typer.Option("--against", metavar="PLAYER", help="Both also play this opponent. May be repeated."),
    ] = None,
    games: Annotated[
        int,
        typer.Option("--games", "-g", metavar="N", min=2, help="At most this many games between them; fewer if clear."),
    ] = 100,
    each: Annotated[
        int, typer.Option("--each", metavar="N", min=2, help="Games of each version with each --against.")
    ] = 20,
    openings: Annotated[
        str, typer.Option(metavar="N|FILE", help="First moves of games, as for match; each with both colours.")
    ] = "2",
    edition: options.Edition = options.EDITION,
    jobs: options.Jobs = 1,
    seed: options.PlayersSeed = 1,
    python: options.Python = None,
    seconds: Annotated[
        float, typer.Option(metavar="S", min=0, help="Seconds to count each version's lost wins; 0: do not count.")
    ] = 20.0,
    out: options.MatchFolder = None,
    json: options.Json = False,
) -> None:
    """Did a change help? Two versions of an agent play each other, until the answer is clear.

    For one game use `littlego play`, for a fixed number of games `littlego match`.
    Games come in pairs: an opening, played with both colours. Against other players both versions
    play the same games. The same command continues where it was stopped.

      littlego compare old-agent my-agent
      littlego compare old-agent my-agent --against aggressive --jobs 2
    """
    from littlego.arena.building import MATCHES
    from littlego.arena.match import MatchPlan
    from littlego.arena.participants import preparing
    from littlego.arena.sprt import HYPOTHESES, against, swept_openings
    from littlego.course.spelling import parse_entrant
    from littlego.players.catalogue import MANUAL

    found = options.edition_of(edition)
    rules, limits = found.rules(), found.limits
    if MANUAL in (old, new, *(versus or ())):
        raise UsageError("a person cannot play in a match: use 'littlego play manual ...'")
    parse = partial(parse_entrant, python=python or found.default_python, edition=found.like)
    entrants: list[Entrant] = [parse(text) for text in (old, new, *(versus or ()))]
    names = [entrant.name for entrant in entrants]
    if names[0] == names[1]:
        names[:2] = f"{names[0]}-old", f"{names[1]}-new"
    starts = chosen_openings(openings, rules)

    with ExitStack() as stack:
        executor = stack.enter_context(options.executor(jobs, None))
        prepared, supervisor = stack.enter_context(preparing(entrants))
        supervisor.close()  # each worker has its own
        if prepared[0].identity() == prepared[1].identity():
            raise UsageError(f"{old} and {new} are the same program: was the change saved?")
        folder = out or Path(MATCHES) / f"compare-{plain_name(names[0])}-{plain_name(names[1])}"

        def played(first: int, second: int, number: int) -> StoredMatch:
            plan = MatchPlan(
                entrants[first].spelling, entrants[second].spelling, rules, number, seed, limits, openings=starts
            )
            pair = (names[first], names[second])
            both = [prepared[first], prepared[second]]
            if out:
                where = folder / f"{plain_name(pair[0])}-{plain_name(pair[1])}"
            else:
                where = folder.with_name(f"{folder.name}-{plan.identity(*both)}")
            match = StoredMatch(plan, pair, both, where, HYPOTHESES if second == 0 else None)
            match.play(executor, title=f"{' against '.join(pair)}: ")
            return match

        with output.resumable("Finished games are kept."):
            direct = played(1, 0, games + games % 2)
            others = [
                (names[k], played(0, k, each + each % 2), played(1, k, each + each % 2))
                for k in range(2, len(entrants))
            ]
    test = direct.test()
    assert test is not None
    compared = [(against(name, before.plan, before.games, after.games), after) for name, before, after in others]
    matches = [direct, *(match for _, *both in others for match in both)]
    records = [game.result.record for match in matches for game in match.games]
    regrets = _regrets(records, names[:2], seconds) if seconds else []
    swept = swept_openings(direct.plan, direct.games)
    comparison = _Comparison(names[0], names[1], test, swept, compared, regrets, direct.folder)
    if json:
        output.print_json(_as_json(comparison))
        return
    _show(comparison)


@dataclass(frozen=True)
class _Comparison:
    """What two versions did."""

    old: str
    new: str
    test: SequentialTest
    swept: Swept
    compared: list[tuple[Against, StoredMatch]]
    """With each other opponent, and the match of the new version."""
    regrets: list[Regret]
    folder: Path

    @property
    def answer(self) -> str:
        from littlego.arena.sprt import head_to_head

        return head_to_head(self.test, self.old, self.new)


def _regrets(records: list[GameRecord], names: list[str], seconds: float) -> list[Regret]:
    """What each version threw away; none if the games cannot be solved."""
    from littlego.review.regret import regret_of
    from littlego.solve.oracle import why_unsolvable

    if why_unsolvable(records[0].start):
        return []
    with oracles.opened(None) as oracle, output.stages(transient=True) as update:
        return [regret_of(records, name, oracle, seconds=seconds, watch=partial(update, name)) for name in names]


def _show(found: _Comparison) -> None:
    from littlego.review.reading import review_command

    swept = found.swept
    print(output.printable(found.answer))
    both = f"{found.new} won both games of {len(swept.by_new)} openings, {found.old} both of {len(swept.by_old)}"
    print(output.printable(f"{both}; {swept.shared} were shared."))
    for number in swept.by_old[:_SHOWN]:
        print(f"  lost with both colours: {review_command(found.folder, number)}")
    for against, after in found.compared:
        print(output.printable(f"\n{against.sentence}"))
        print(f"  Of the same games {len(against.gained)} went better, {len(against.lost)} worse.")
        for number in against.lost[:_SHOWN]:
            print(f"  worse than before: {review_command(after.folder, number)}")
    for regret in found.regrets:
        total = regret.total
        rate = f" ({output.percent(total.rate)}, {output.percent_interval(total.interval)})" if total.won else ""
        unknown = f"; {total.unknown} positions not solved" if total.unknown else ""
        line = f"{regret.player} threw away {total.thrown} of {total.won} won positions{rate}{unknown}."
        print(output.printable(f"\n{line}" if regret is found.regrets[0] else line))
    if any(regret.total.unknown for regret in found.regrets):
        output.note("Only what was solved is counted, so these two do not compare yet; the same command solves more.")


def _as_json(found: _Comparison) -> dict[str, Any]:
    return {
        "old": found.old,
        "new": found.new,
        "answer": found.answer,
        "directory": str(found.folder),
        "sprt": found.test.as_dict(),
        "openings": asdict(found.swept),
        "against": [{**against.to_dict(), "directory": str(after.folder)} for against, after in found.compared],
        "thrown_away": [regret.to_dict() for regret in found.regrets],
    }
