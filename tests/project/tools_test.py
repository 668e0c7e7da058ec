"""The checkers of tools/ find the errors they are written for: each error is planted in a small tree of its own."""

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

    def error(self, where, what, files):
        code, out = run("check_layers.py", files)
        self.assertEqual(code, 1, out)
        self.assertIn(where + ": ", out)
        self.assertIn(what, out)

    def test_a_layer_may_include_those_above(self):
        self.clean({"src/core/a.h": "#pragma once\n", "src/sim/b.cpp": '#include "core/a.h"\n#include <vector>\n'})

    def test_a_layer_must_not_include_those_below(self):
        self.error("src/core/b.cpp:2", "core must not include sim",
                   {"src/sim/a.h": "#pragma once\n", "src/core/b.cpp": '#include <vector>\n#include "sim/a.h"\n'})

    def test_a_path_with_dots_hides_nothing(self):
        self.error("src/core/b.cpp:1", "core must not include sim",
                   {"src/sim/a.h": "#pragma once\n", "src/core/b.cpp": '#include "../sim/a.h"\n'})

    def test_public_headers_have_layers_too(self):
        self.error("src/mesh/b.cpp:1", "mesh must not include io", {"src/mesh/b.cpp": "#include <taffeta/io.h>\n"})

    def test_an_unknown_folder_is_no_layer(self):
        self.error("src/misc/a.cpp:1", "not a layer", {"src/misc/a.cpp": ""})

    def test_only_io_touches_files(self):
        self.clean({"src/io/a.cpp": "#include <fstream>\n"})
        self.error("src/sim/a.cpp:1", "must not touch files", {"src/sim/a.cpp": "#include <fstream>\n"})

    def test_a_header_needs_pragma_once(self):
        self.error("src/core/a.h:1", "no #pragma once", {"src/core/a.h": "// #pragma once is missing\n"})

    def test_a_source_includes_its_own_header_first(self):
        files = {"src/core/a.h": "#pragma once\n", "src/core/a.cpp": '#include <vector>\n#include "core/a.h"\n'}
        self.error("src/core/a.cpp:1", "own header first: core/a.h", files)
        files["src/core/a.cpp"] = '#include "core/a.h"\n#include <vector>\n'
        self.clean(files)

    def test_public_headers_know_only_the_standard_library(self):
        path = "include/taffeta/a.h"
        self.clean({path: "#pragma once\n#include <vector>\n#include <taffeta/b.h>\n", "include/taffeta/b.h": "#pragma once\n"})
        for name in ('"core/a.h"', "<tbb/task_arena.h>", "<hwy/highway.h>"):
            self.error(path + ":2", "a public header includes", {path: f"#pragma once\n#include {name}\n"})

    def test_apps_live_from_public_headers(self):
        private = {"src/io/a.h": "#pragma once\n"}
        self.clean({"apps/cli/b.h": "#pragma once\n", "apps/cli/a.cpp": '#include "b.h"\n#include <taffeta/io.h>\n'})
        for name in ("io/a.h", "../../src/io/a.h"):
            self.error("apps/cli/a.cpp:1", "only <taffeta/...> is public", private | {"apps/cli/a.cpp": f'#include "{name}"\n'})
        self.clean(private | {"tests/io/a_test.cpp": '#include "io/a.h"\n'})


class Size(unittest.TestCase):
    def clean(self, text, path="src/a.cpp"):
        code, out = run("check_size.py", {path: text})
        self.assertEqual(code, 0, out)

    def error(self, message, text, path="src/a.cpp"):
        code, out = run("check_size.py", {path: text})
        self.assertEqual(code, 1, out)
        self.assertEqual(out.splitlines(), [f"{path}:{message}"])

    def test_a_function_has_at_most_80_lines(self):
        def function(head, lines):
            return f"\n{head} {{\n" + "    if (x) { y(); }\n" * (lines - 2) + "}\n"

        for head, name in (("void f(int a = 3)", "f"), ("C::C(int x) : a_{x}, b_(x)", "C::C"), ("TEST(A, B)", "A.B"),
                           ("template <class T>\nauto f(T t) -> T", "f"), ("bool operator==(A a, B b)", "operator=="),
                           ("const auto f = [](int a)", "f")):
            lines = 80 - head.count("\n")
            self.clean(function(head, lines))
            self.error(f"2: {name} has 81 lines; at most 80", function(head, lines + 1))

    def test_namespaces_classes_and_tables_may_be_longer(self):
        for head in ("namespace a", "class A", "enum class A", "const int a[] ="):
            self.clean(f"{head} {{\n" + "\n" * 90 + "};\n")

    def test_functions_inside_classes_and_namespaces_are_found(self):
        text = "namespace a {\nstruct B {\n    int c() const noexcept {\n" + "\n" * 80 + "    }\n};\n}\n"
        self.error("3: c has 82 lines; at most 80", text)

    def test_braces_in_literals_and_comments_do_not_count(self):
        body = "".join(f"    {text}\n" for text in ("// {", '"{";', 'R"({)";', "'{';", "1'000;", "/* { */"))
        self.clean("void f() {\n" + body + "}\n#define A {\n" + "\n" * 90)

    def test_a_file_has_at_most_500_lines(self):
        self.clean("\n" * 500)
        self.error("1: the file has 501 lines; at most 500", "\n" * 501)

    def test_a_class_has_at_most_15_data_members(self):
        members = ["int a, b = f(1, 2);", "std::vector<std::pair<int, int>> c;", "float d[3] = {1, 2};", "void (*e)(int);",
                   "std::function<void(int)> f_;", "int g{3};", "alignas(64) float h;"]  # eight
        others = ["static constexpr int i = 1;", "void j(int k, int l);", "int m() const { return 1; }", "using N = int;",
                  "enum class O { p, q };", "public:", "struct R {\n    int s;\n};", "bool operator<(const A&) const;"]
        head = "".join(f"    {line}\n" for line in members + others)
        fifteen = head + "".join(f"    int t{k};\n" for k in range(7))
        self.clean(f"struct A {{\n{fifteen}}};\n")
        sixteen = f"struct A {{\n{fifteen}    int u;\n}};\n"
        self.error("1: A has 16 data members; at most 15, or a comment above it: // Many members: <reason>", sixteen)
        self.clean("// What it is.\n// Many members: one array per quantity,\n// read together.\n" + sixteen)
        self.error("3: A has 16 data members; at most 15, or a comment above it: // Many members: <reason>",
                   "// Many members: of something else.\n\n" + sixteen)
        self.clean(sixteen, "tests/a.cpp")  # where only lengths matter


class Citations(unittest.TestCase):
    def clean(self, files):
        code, out = run("check_citations.py", files)
        self.assertEqual(code, 0, out)

    def error(self, message, files):
        code, out = run("check_citations.py", files)
        self.assertEqual(code, 1, out)
        self.assertIn(message, out)

    def test_a_known_key_passes(self):
        self.clean({"docs/references.bib": ENTRY, "src/a.cpp": "// [ABC03] Eq. 8\n", "docs/a.md": "see [ABC03, p. 2]\n"})

    def test_an_unknown_key_names_its_line(self):
        self.error("src/a.cpp:2: [XYZ99]", {"docs/references.bib": ENTRY, "src/a.cpp": "\n// [ABC03; XYZ99]\n"})

    def test_subscripts_are_no_citations(self):
        self.clean({"docs/references.bib": ENTRY, "src/a.cpp": "x[10] = y[i00] + z[N];\n"})

    def test_an_entry_says_who_what_where_and_when(self):
        for field in ("author", "title", "journal", "year"):
            lines = [line for line in ENTRY.splitlines(keepends=True) if not line.strip().startswith(field)]
            self.error(f"docs/references.bib:1: ABC03: no {field}", {"docs/references.bib": "".join(lines)})

    def test_a_key_ends_with_its_year_and_stands_once(self):
        self.error("does not end with the year 2004", {"docs/references.bib": ENTRY.replace("2003", "2004")})
        self.error("references.bib:7: ABC03 stands twice", {"docs/references.bib": ENTRY + ENTRY})

    def test_an_open_brace_is_found(self):
        self.error("braces", {"docs/references.bib": ENTRY[:-2]})


if __name__ == "__main__":
    unittest.main()
