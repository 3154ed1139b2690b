"""`littlego doctor`: what this machine can do, and what to install for more."""

from __future__ import annotations

from dataclasses import asdict

from littlego.apps.cli import extras, options, output


def doctor(*, json: options.Json = False) -> None:
    """See what this machine can do: isolation, languages, memory, extras, and what to install for more.

    littlego doctor
    """
    from littlego.course.check.machine import Finding, examine_machine

    findings = [*examine_machine()]
    for extra, missing in extras.missing_libraries().items():
        advice = f"pip install 'littlego[{extra}]'" if missing else ""
        findings.append(Finding(f"Extra: {extra}", "no" if missing else "yes", advice))
    if json:
        output.print_json([asdict(finding) for finding in findings])
        return
    width = max(len(finding.subject) for finding in findings)
    for finding in findings:
        mark = "!" if finding.advice else " "
        print(f"{mark} {finding.subject:<{width}}  {output.printable(finding.found)}")
        if finding.advice:
            print(f"  {'':<{width}}  -> {finding.advice}")
    wanting = sum(bool(finding.advice) for finding in findings)
    print("\nEverything works here." if not wanting else f"\nMarked ! is what could be better: {wanting}.")
