#!/usr/bin/env python3
"""Draws the plots of docs/performance.md from what the benchmark measured.

  plot_bench.py BENCH.json FOLDER     BENCH.json: of `taffeta_bench --json`; FOLDER: where the .svg files go

A plot whose table is not in the document is left as it is.
"""

import json
import math
import sys
from html import escape
from pathlib import Path

# Those of the built-in scenes.
INK, PALE, GRID = "#2f3437", "#6d757b", "#dfe3e6"
BLUE, RUST, GOLD, GREEN, WINE, STONE = "#1f4e79", "#b5714d", "#c9a227", "#4f7a5b", "#6e1f2f", "#b9b4aa"


class Svg:
    """A picture that grows element by element; y points downwards, in pixels."""

    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-family="Helvetica, Arial, sans-serif" font-size="13" fill="{INK}">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        ]
        self.text(24, 30, title, size=16, weight="bold")

    def text(self, x, y, text, anchor="start", colour=INK, size=13, weight="normal", turned=False):
        turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-size="{size}" '
            f'font-weight="{weight}"{turn}>{escape(text)}</text>'
        )

    def line(self, points, colour, width=1.0, dashes=""):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"{dash}/>'
        )

    def dot(self, x, y, colour):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}" stroke="#ffffff"/>')

    def bar(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>')

    def to_string(self):
        return "\n".join(self.parts) + "\n</svg>\n"


class Axis:
    """Takes values to pixels, evenly or by their logarithm."""

    def __init__(self, low, high, start, end, is_log=False):
        self.scale = math.log if is_log else float
        self.low, self.high, self.start, self.end = self.scale(low), self.scale(high), start, end

    def __call__(self, value):
        share = (self.scale(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def nice_step(highest, steps=5):
    """The round number of which about `steps` reach up to `highest`."""
    rough = highest / steps
    power = 10 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)


def short(value):
    """Three digits, and no more zeros than needed."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def legend(svg, x, y, entries):
    for name, colour in entries:
        svg.bar(x, y - 9, 14, 10, colour)
        svg.text(x + 20, y, name)
        x += 20 + 7 * len(name) + 18


def plot_stretch(rows):
    """Longest edge over n, a panel for each scene; beyond the rest length, so that 1 % and 10 % are apart."""
    names = {"sheet": "sheet on two corners", "disk": "irregular disk on two corners", "drape": "sheet on a sphere"}
    scenes = [scene for scene in names if any(row["scene"] == scene for row in rows)]
    sizes = sorted({row["n"] for row in rows})
    measured = [row for row in rows if not isinstance(row["longest_edge"], str)] # text: why there is no number

    def beyond(row):
        return max(row["longest_edge"] - 1, 1e-4)

    values = [beyond(row) for row in measured] + [row["bound"] - 1 for row in rows if "bound" in row]
    decades = range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)

    left, top, panel, gap, height = 96, 92, 250, 26, 300
    svg = Svg(left + len(scenes) * (panel + gap), top + height + 62, "Longest edge after 10 s, beyond its rest length")
    legend(svg, left, 62, [("plain", RUST), ("accelerated", BLUE), ("bound for the accelerated one", GOLD)])
    y = Axis(10.0 ** decades[0], 10.0 ** decades[-1], top + height, top, is_log=True)
    svg.text(24, top + height / 2, "stretch, % (logarithmic)", anchor="middle", colour=PALE, turned=True)
    for decade in decades:
        svg.text(left - 8, y(10.0**decade) + 4, short(100 * 10.0**decade), anchor="end", colour=PALE)

    for k, scene in enumerate(scenes):
        start = left + k * (panel + gap)
        x = Axis(sizes[0] / 1.35, sizes[-1] * 1.35, start, start + panel, is_log=True)
        for decade in decades:
            svg.line([(start, y(10.0**decade)), (start + panel, y(10.0**decade))], GRID)
        svg.text(start + panel / 2, top - 8, names[scene], anchor="middle", weight="bold")
        svg.text(start + panel / 2, top + height + 44, "n (of n × n particles)", anchor="middle", colour=PALE)
        for n in sizes:
            svg.text(x(n), top + height + 22, str(n), anchor="middle", colour=PALE)
        for row in rows:
            if row["scene"] == scene and "bound" in row:
                svg.line([(x(row["n"]) - 20, y(row["bound"] - 1)), (x(row["n"]) + 20, y(row["bound"] - 1))], GOLD, 4)
        for solver, colour in (("plain", RUST), ("accelerated", BLUE)):
            mine = [row for row in rows if row["scene"] == scene and row["solver"] == solver]
            points = [(x(row["n"]), y(beyond(row))) for row in mine if row in measured]
            svg.line(points, colour, 2)
            for point in points:
                svg.dot(*point, colour)
            for row in mine:
                if row not in measured:
                    svg.text(x(row["n"]), top + 14, row["longest_edge"], anchor="middle", colour=colour)
    return svg.to_string()


def plot_projection(rows):
    """Time per projection, a panel for each mesh and a group of bars for each n."""
    bars = [
        ("reference", 1, "reference", STONE),
        ("Bullet", 1, "Bullet 3", RUST),
        ("Bullet reordered", 1, "Bullet 3, reordered", GOLD),
        ("taffeta", 1, "taffeta, one thread", BLUE),
        ("taffeta", 2, "taffeta, two threads", GREEN),
        ("bare kernel", 1, "bare kernel", WINE),
    ]
    meshes, sizes = list(dict.fromkeys(row["mesh"] for row in rows)), sorted({row["n"] for row in rows})
    time = {(row["mesh"], row["n"], row["solver"], row["threads"]): row["ns_per_projection"] for row in rows}
    thick, group_gap, left, top, panel, gap = 14, 18, 84, 92, 360, 60
    group = thick * len(bars)
    height = len(sizes) * (group + group_gap)
    svg = Svg(left + len(meshes) * (panel + gap), top + height + 56, "Time of a whole frame per projection of a pair")
    legend(svg, 24, 62, [(name, colour) for _, _, name, colour in bars])
    highest, step = max(time.values()), nice_step(max(time.values()))

    for k, mesh in enumerate(meshes):
        start = left + k * (panel + gap)
        x = Axis(0, highest, start, start + panel - 30)
        svg.text(start, top - 8, mesh, weight="bold")
        for tick in range(int(highest / step) + 1):
            svg.line([(x(tick * step), top), (x(tick * step), top + height)], GRID)
            svg.text(x(tick * step), top + height + 18, short(tick * step), anchor="middle", colour=PALE)
        svg.text(start + panel / 2, top + height + 40, "ns per projection", anchor="middle", colour=PALE)
        for g, n in enumerate(sizes):
            base = top + group_gap / 2 + g * (group + group_gap)
            if k == 0:
                svg.text(left - 12, base + group / 2 + 4, f"n = {n}", anchor="end")
            for b, (solver, threads, _, colour) in enumerate(bars):
                value = time.get((mesh, n, solver, threads))
                if value is None:
                    continue
                svg.bar(start, base + b * thick, x(value) - start, thick - 2, colour)
                svg.text(x(value) + 5, base + b * thick + 10, short(value), size=11, colour=PALE)
    return svg.to_string()


def plot_self(rows):
    """Time per particle over the number of particles: level means that time grows as the cloth does."""
    lines = [("ns_search", "search", BLUE), ("ns_separation", "separation", RUST), ("ns_pass", "pass", INK)]
    left, top, width, height = 84, 92, 560, 300
    svg = Svg(left + width + 40, top + height + 62, "Self-collision: time per particle")
    legend(svg, left, 62, [(name, colour) for _, name, colour in lines])
    counts = [row["particles"] for row in rows]
    most = max(row[key] for row in rows for key, _, _ in lines)
    step = nice_step(most)
    ticks = math.ceil(most / step)
    x = Axis(min(counts) / 1.2, max(counts) * 1.2, left, left + width, is_log=True)
    y = Axis(0, ticks * step, top + height, top)
    for tick in range(ticks + 1):
        svg.line([(left, y(tick * step)), (left + width, y(tick * step))], GRID)
        svg.text(left - 8, y(tick * step) + 4, short(tick * step), anchor="end", colour=PALE)
    svg.text(24, top + height / 2, "ns per particle", anchor="middle", colour=PALE, turned=True)
    svg.text(left + width / 2, top + height + 44, "particles (logarithmic)", anchor="middle", colour=PALE)
    for count in counts:
        svg.text(x(count), top + height + 22, f"{count:,}", anchor="middle", colour=PALE)
    for key, _, colour in lines:
        points = [(x(row["particles"]), y(row[key])) for row in rows]
        svg.line(points, colour, 2)
        for point in points:
            svg.dot(*point, colour)
    return svg.to_string()


# By file: its table, and how it is drawn.
PLOTS = {
    "bench_stretch.svg": ("stretch", plot_stretch),
    "bench_projection.svg": ("solver", plot_projection),
    "bench_self.svg": ("self", plot_self),
}


def main():
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    if not source.is_file():
        sys.exit(f"{source}: there is no such file; `./dev bench --json {source}` makes it")
    tables = json.loads(source.read_text(encoding="utf-8"))["tables"]
    folder.mkdir(parents=True, exist_ok=True)
    for name, (table, plot) in PLOTS.items():
        if table in tables:
            (folder / name).write_text(plot(tables[table]["rows"]), encoding="utf-8")
            print(folder / name)


if __name__ == "__main__":
    main()
