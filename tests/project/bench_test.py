"""What the benchmark measured becomes plots and tables: the tools are run on a small document of its form."""

import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
COLUMNS = [
    {"key": "scene", "heading": "scene", "decimals": 0},
    {"key": "longest_edge", "heading": "longest", "decimals": 2},
    {"key": "motion_mm", "heading": "mm", "decimals": 3},
]
STRETCH = [
    {"scene": "sheet", "n": 64, "solver": "plain", "longest_edge": 12.5},
    {"scene": "sheet", "n": 64, "solver": "accelerated", "longest_edge": 1.015, "bound": 1.02, "motion_mm": 0.004},
    {"scene": "drape", "n": 64, "solver": "plain", "longest_edge": "fell off"},
    {"scene": "drape", "n": 64, "solver": "accelerated", "longest_edge": 1.0},
]
SOLVER = [
    {"solver": "taffeta", "mesh": "grid", "n": 64, "threads": 1, "ns_per_projection": 1.5},
    {"solver": "Bullet", "mesh": "grid", "n": 64, "threads": 1, "ns_per_projection": 15},
]
BAR = {"what": "sheet, longest", "value": 1.015, "relation": "at most", "bound": 1.02, "holds": True}


def document(**tables):
    described = {name: {"title": name, "columns": COLUMNS, "rows": rows} for name, rows in tables.items()}
    return {"cpu": "a processor", "threads": 2, "tables": described, "bars": [BAR]}


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_tool(self, tool, measured, target):
        source = self.folder / "bench.json"
        if measured:
            source.write_text(json.dumps(measured), encoding="utf-8")
        command = [sys.executable, TOOLS / tool, source, self.folder / target]
        return subprocess.run(command, capture_output=True, text=True, check=False)


class Plots(Folder):
    def texts(self, name):
        root = ElementTree.parse(self.folder / "pictures" / name).getroot()
        return [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]

    def test_each_table_has_its_plot_and_no_other_is_drawn(self):
        done = self.run_tool("plot_bench.py", document(stretch=STRETCH, solver=SOLVER), "pictures")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = sorted(path.name for path in (self.folder / "pictures").iterdir())
        self.assertEqual(names, ["bench_projection.svg", "bench_stretch.svg"])

    def test_axes_have_units_and_what_has_no_number_is_said(self):
        self.run_tool("plot_bench.py", document(stretch=STRETCH, solver=SOLVER), "pictures")
        self.assertTrue(any("%" in text for text in self.texts("bench_stretch.svg")))
        self.assertIn("fell off", self.texts("bench_stretch.svg"))
        self.assertIn("ns per projection", self.texts("bench_projection.svg"))

    def test_bars_are_as_long_as_their_numbers_say(self):
        self.run_tool("plot_bench.py", document(solver=SOLVER), "pictures")
        root = ElementTree.parse(self.folder / "pictures" / "bench_projection.svg").getroot()
        bars = [bar for bar in root.iter("{http://www.w3.org/2000/svg}rect") if bar.get("height") == "12.0"]
        ours, bullets = sorted(float(bar.get("width")) for bar in bars)
        self.assertAlmostEqual(bullets / ours, 10, delta=0.05)

    def test_a_missing_document_is_answered_with_how_to_make_it(self):
        done = self.run_tool("plot_bench.py", None, "pictures")
        self.assertEqual(done.returncode, 1)
        self.assertIn("./dev bench --json", done.stderr)


class Tables(Folder):
    def filled(self, text, measured):
        target = self.folder / "performance.md"
        target.write_text(text, encoding="utf-8")
        done = self.run_tool("fill_bench.py", measured, target.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return target.read_text(encoding="utf-8")

    def test_a_table_replaces_what_is_between_its_lines_and_nothing_else(self):
        text = self.filled("above\n<!-- bench: stretch -->\nold\n<!-- end -->\nbelow\n", document(stretch=STRETCH[:3]))
        self.assertEqual(text, "above\n<!-- bench: stretch -->\n\n"
                               "| scene | longest | mm |\n| --- | --: | --: |\n"
                               "| sheet | 12.50 |  |\n| sheet | 1.01 | 0.004 |\n| drape | fell off |  |\n"
                               "\n<!-- end -->\nbelow\n")

    def test_bars_and_machine_are_told(self):
        text = self.filled("<!-- bench: bars -->\n<!-- end -->\n<!-- bench: machine -->\n<!-- end -->\n", document())
        self.assertIn("| sheet, longest | 1.015 | at most 1.02 | holds |", text)
        self.assertIn("a processor, 2 threads", text)

    def test_a_table_that_was_not_measured_stays(self):
        text = "<!-- bench: self -->\nold\n<!-- end -->\n"
        self.assertEqual(self.filled(text, document(stretch=STRETCH)), text)


if __name__ == "__main__":
    unittest.main()
