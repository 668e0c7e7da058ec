"""The checkers of tools/ find what they are there to find: each fault is planted in a small tree of its own."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
ENTRY = "@article{ABC03,\n  author = {A},\n  title = {B},\n  journal = {C},\n  year = {2003}\n}\n"


def run(tool, files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, TOOLS / tool, root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


class Layers(unittest.TestCase):
    def clean(self, files):
        code, out = run("check_layers.py", files)
        self.assertEqual(code, 0, out)

    def fault(self, where, what, files):
        code, out = run("check_layers.py", files)
        self.assertEqual(code, 1, out)
        self.assertIn(where + ": ", out)
        self.assertIn(what, out)

    def test_a_layer_may_include_those_above(self):
        self.clean({"src/core/a.h": "#pragma once\n", "src/sim/b.cpp": '#include "core/a.h"\n#include <vector>\n'})

    def test_a_layer_must_not_include_those_below(self):
        self.fault("src/core/b.cpp:2", "core must not include sim",
                   {"src/sim/a.h": "#pragma once\n", "src/core/b.cpp": '#include <vector>\n#include "sim/a.h"\n'})

    def test_a_path_with_dots_hides_nothing(self):
        self.fault("src/core/b.cpp:1", "core must not include sim",
                   {"src/sim/a.h": "#pragma once\n", "src/core/b.cpp": '#include "../sim/a.h"\n'})

    def test_public_headers_have_layers_too(self):
        self.fault("src/mesh/b.cpp:1", "mesh must not include io", {"src/mesh/b.cpp": "#include <taffeta/io.h>\n"})

    def test_an_unknown_folder_is_no_layer(self):
        self.fault("src/misc/a.cpp:1", "not a layer", {"src/misc/a.cpp": ""})

    def test_only_io_touches_files(self):
        self.clean({"src/io/a.cpp": "#include <fstream>\n"})
        self.fault("src/sim/a.cpp:1", "must not touch files", {"src/sim/a.cpp": "#include <fstream>\n"})

    def test_a_header_needs_pragma_once(self):
        self.fault("src/core/a.h:1", "no #pragma once", {"src/core/a.h": "// #pragma once is missing\n"})

    def test_a_source_includes_its_own_header_first(self):
        files = {"src/core/a.h": "#pragma once\n", "src/core/a.cpp": '#include <vector>\n#include "core/a.h"\n'}
        self.fault("src/core/a.cpp:1", "own header first: core/a.h", files)
        files["src/core/a.cpp"] = '#include "core/a.h"\n#include <vector>\n'
        self.clean(files)

    def test_public_headers_know_only_the_standard_library(self):
        path = "include/taffeta/a.h"
        self.clean({path: "#pragma once\n#include <vector>\n#include <taffeta/b.h>\n", "include/taffeta/b.h": "#pragma once\n"})
        for name in ('"core/a.h"', "<tbb/task_arena.h>", "<hwy/highway.h>"):
            self.fault(path + ":2", "a public header includes", {path: f"#pragma once\n#include {name}\n"})

    def test_apps_live_from_public_headers(self):
        private = {"src/io/a.h": "#pragma once\n"}
        self.clean({"apps/cli/b.h": "#pragma once\n", "apps/cli/a.cpp": '#include "b.h"\n#include <taffeta/io.h>\n'})
        for name in ("io/a.h", "../../src/io/a.h"):
            self.fault("apps/cli/a.cpp:1", "only <taffeta/...> is public", private | {"apps/cli/a.cpp": f'#include "{name}"\n'})
        self.clean(private | {"tests/io/a_test.cpp": '#include "io/a.h"\n'})


class Citations(unittest.TestCase):
    def clean(self, files):
        code, out = run("check_citations.py", files)
        self.assertEqual(code, 0, out)

    def fault(self, message, files):
        code, out = run("check_citations.py", files)
        self.assertEqual(code, 1, out)
        self.assertIn(message, out)

    def test_a_known_key_passes(self):
        self.clean({"docs/references.bib": ENTRY, "src/a.cpp": "// [ABC03] Eq. 8\n", "docs/a.md": "see [ABC03, p. 2]\n"})

    def test_an_unknown_key_names_its_line(self):
        self.fault("src/a.cpp:2: [XYZ99]", {"docs/references.bib": ENTRY, "src/a.cpp": "\n// [ABC03; XYZ99]\n"})

    def test_subscripts_are_no_citations(self):
        self.clean({"docs/references.bib": ENTRY, "src/a.cpp": "x[10] = y[i00] + z[N];\n"})

    def test_an_entry_says_who_what_where_and_when(self):
        for field in ("author", "title", "journal", "year"):
            lines = [line for line in ENTRY.splitlines(keepends=True) if not line.strip().startswith(field)]
            self.fault(f"docs/references.bib:1: ABC03: no {field}", {"docs/references.bib": "".join(lines)})

    def test_a_key_ends_with_its_year_and_stands_once(self):
        self.fault("does not end with the year 2004", {"docs/references.bib": ENTRY.replace("2003", "2004")})
        self.fault("references.bib:7: ABC03 stands twice", {"docs/references.bib": ENTRY + ENTRY})

    def test_an_open_brace_is_found(self):
        self.fault("braces", {"docs/references.bib": ENTRY[:-2]})


if __name__ == "__main__":
    unittest.main()
