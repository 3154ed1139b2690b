"""The page of a run of all benchmarks."""

from __future__ import annotations

from littlego.formats.html.charts import bar_chart
from littlego.formats.html.page import Page
from littlego_bench.suite import Bars, Part, Suite


def suite_page(suite: Suite) -> Page:
    """Ratios first, which can be compared with another run, then each part with its figures."""
    kind = "A quick run: only to see that all of it works. " if suite.quick else ""
    page = Page(
        "Benchmarks of Little-Go",
        f"{kind}Little-Go {suite.version}, {suite.python}, {suite.cores} cores, {suite.machine}. "
        "Each ratio compares two things of this one run, in rounds that alternate where that is possible.",
    )
    page.section("Ratios", "What to compare with another run, on this machine or another.")
    page.table(
        ["part", "what", "ratio", "over", "better"],
        [
            (part.title, ratio.what, shown(ratio.value), ratio.over, ratio.better)
            for part in suite.parts
            for ratio in part.ratios
        ],
    )
    for part in suite.parts:
        _add(page, part)
    return page


def _add(page: Page, part: Part) -> None:
    page.section(part.title, part.text)
    if part.missing:
        page.text(f"Not measured: {part.missing}.", tone="doubt")
        return
    for bars in part.bars:
        page.figure(_figure(bars), f"{bars.title}, {bars.unit}")
    page.text(f"Measured in {part.seconds:.0f} s. Alone: littlego bench all --only {part.name}")


def _figure(bars: Bars) -> str:
    rows = [(name, value, shown(value)) for name, value in bars.values.items()]
    return bar_chart(rows, title=f"{bars.title}, {bars.unit}")


def shown(value: float) -> str:
    """A number with a sensible number of digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
