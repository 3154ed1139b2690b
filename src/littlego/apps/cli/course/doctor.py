"""`littlego doctor`: what this machine can do, and what to install for more."""

from __future__ import annotations

from dataclasses import asdict

from littlego.apps.cli import extras, options, output
from littlego.formats.text import plural


def doctor(*, json: options.Json = False) -> None:
    """See what this machine can do: isolation, languages, memory, extras, and what to install for more.

    littlego doctor
    """
    from littlego.course.check.machine import Ability, examine_machine

    abilities = [*examine_machine()]
    for extra, missing in extras.missing_libraries().items():
        advice = f"pip install 'littlego[{extra}]'" if missing else ""
        abilities.append(Ability(f"Extra: {extra}", "no" if missing else "yes", advice))
    if json:
        output.print_json([asdict(ability) for ability in abilities])
        return
    width = max(len(ability.subject) for ability in abilities)
    for ability in abilities:
        mark = "!" if ability.advice else " "
        print(f"{mark} {ability.subject:<{width}}  {output.printable(ability.found)}")
        if ability.advice:
            print(f"  {'':<{width}}  -> {ability.advice}")
    wanting = sum(bool(ability.advice) for ability in abilities)
    print("\nEverything works here." if not wanting else f"\n{plural(wanting, 'item')} could be better (marked !).")
