"""tools/check_words.py finds banned words wherever they hide, and nothing else. Each test plants a list and files of its own."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools/check_words.py"
LIST = "tools/banned_words.tsv"


def run(rules, files, *options):
    with tempfile.TemporaryDirectory() as root:
        for name, text in (files | {LIST: "".join("\t".join(rule) + "\n" for rule in rules)}).items():
            path = Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        ended = subprocess.run([sys.executable, TOOL, *options, root], capture_output=True, text=True, check=False)
        return ended.returncode, ended.stdout + ended.stderr


class Words(unittest.TestCase):
    def clean(self, rule, files):
        code, out = run([rule], files)
        self.assertEqual(code, 0, out)

    def found(self, message, rule, files):
        code, out = run([rule], files)
        self.assertEqual(code, 1, out)
        self.assertIn(message + "\n", out)


class OfText(Words):
    RULE = ("word", "wugs?", "bird")

    def test_a_line_names_file_line_word_and_what_to_use(self):
        self.found("src/a.cpp:2: 'wug' -> bird", self.RULE, {"src/a.cpp": "\n// A wug.\n"})

    def test_parts_of_names_are_words(self):
        for name in ("find_on_wugs", "share_of_wugs_", "WugFinder", "findWug", "TheWugs", "wug_", "_wug"):
            self.assertEqual(run([self.RULE], {"src/a.h": f"int {name};\n"})[0], 1, name)

    def test_words_that_contain_it_are_others(self):
        self.clean(self.RULE, {"src/a.h": "int alwugs, wugged, swug_count; // Wuggish\n"})

    def test_names_of_files_and_folders_are_read(self):
        self.found("src/wug_finder.h:1: 'wug in the name of the file' -> bird", self.RULE, {"src/wug_finder.h": ""})
        self.found("tests/wugs/a.py:1: 'wugs in the name of the file' -> bird", self.RULE, {"tests/wugs/a.py": ""})

    def test_documents_scenes_and_scripts_are_read(self):
        for name in ("README.md", "CHANGELOG.md", "docs/a.md", "scenes/a.toml", "fabrics/a.toml", "lab/a.h", "tests/CMakeLists.txt", "tools/a.sh"):
            self.found(f"{name}:1: 'Wugs' -> bird", self.RULE, {name: "# Wugs\n"})

    def test_pictures_and_the_inputs_of_fuzzers_are_not(self):
        self.clean(self.RULE, {"docs/pictures/a.txt": "wug\n", "tests/fuzz/corpus/scene/a.toml": "wug\n", "build/a.h": "wug\n"})

    def test_a_phrase_goes_on_in_the_next_line_of_a_comment(self):
        rule = ("word", "grey wug", "bird")
        self.found("src/a.h:2: 'grey wug' -> bird", rule, {"src/a.h": "\n    // It is a grey\n    // wug that sings.\n"})
        self.found("docs/a.md:1: 'grey wug' -> bird", rule, {"docs/a.md": "The grey-wug.\n"})
        self.found("tools/a.py:1: 'grey wug' -> bird", rule, {"tools/a.py": "# a grey\n# wug\n"})

    def test_a_word_may_be_allowed_after_another(self):
        rule = ("word", "(?<!green )wug", "bird")
        self.clean(rule, {"src/a.h": "std::green_wug a; // a green wug\n"})
        self.found("src/a.h:1: 'wug' -> bird", rule, {"src/a.h": "std::blue_wug a;\n"})


class OfNames(Words):
    RULE = ("name", "Wug|wug_\\w+", "Bird")

    def test_names_are_compared_as_a_whole_and_as_written(self):
        self.found("src/a.h:1: 'Wug' -> Bird", self.RULE, {"src/a.h": "struct Wug {};\n"})
        self.found("src/a.h:1: 'wug_of' -> Bird", self.RULE, {"src/a.h": "int wug_of(int);\n"})
        self.clean(self.RULE, {"src/a.h": "int wug, BigWug, a_wug_of;\n"})

    def test_comments_and_texts_are_no_code(self):
        self.clean(self.RULE, {"src/a.cpp": "// Wug\n/* Wug\n Wug */ const char* a = \"Wug \\\" Wug\";\n"})
        self.clean(self.RULE, {"tools/a.py": "# Wug\na = 'Wug'\n"})

    def test_code_after_a_separator_of_thousands_is_code(self):
        self.found("src/a.cpp:1: 'Wug' -> Bird", self.RULE, {"src/a.cpp": "int a = 10'000; Wug b = 20'000;\n"})

    def test_in_documents_code_is_in_backquotes(self):
        self.found("docs/a.md:2: 'Wug' -> Bird", self.RULE, {"docs/a.md": "\nA `Wug::sing` sings.\n"})
        self.clean(self.RULE, {"docs/a.md": "Wug sings.\n"})


class OfRules(Words):
    def test_a_rule_may_be_for_some_files(self):
        rule = ("word", "wug", "bird", "src/a/* !*egg*")
        self.found("src/a/b/c.h:1: 'wug' -> bird", rule, {"src/a/b/c.h": "// wug\n"})
        self.clean(rule, {"src/b/c.h": "// wug\n", "src/a/egg.h": "// wug\n"})

    def test_text_is_searched_as_it_is(self):
        self.found("src/a.h:1: 'Kind::wug' -> bird", ("text", r"Kind::wug\b", "bird"), {"src/a.h": "a = Kind::wug;\n"})

    def test_counts_are_by_pattern(self):
        code, out = run([("word", "wug", "bird"), ("word", "egg", "ovum")], {"src/a.h": "// wug wug\n"}, "--count")
        self.assertEqual(code, 1)
        self.assertEqual([line.split() for line in out.splitlines()],
                         [["2", "word", "wug"], ["0", "word", "egg"], ["2", "in", "all"]])

    def test_errors_of_the_list_name_their_line(self):
        for rule in (("word", "wug"), ("verb", "wug", "bird"), ("word", "(wug", "bird")):
            code, out = run([("word", "egg", "ovum"), rule], {})
            self.assertEqual(code, 1)
            self.assertIn(f"{LIST}:2: ", out)


if __name__ == "__main__":
    unittest.main()
