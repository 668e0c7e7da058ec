#!/usr/bin/env python3
"""No file uses a word that the field does not use. tools/banned_words.tsv lists the words and what to say instead.

  check_words.py [ROOT]            prints file:line: 'word' -> what to use, for each; exit code 1 if there is any
  check_words.py --count [ROOT]    prints how often each pattern of the list is found

A line of the list has three or four columns with tabs between them: kind, pattern, what to use, and where. The pattern is
a regular expression of Python. The kind says what it is compared with:

  word   whole words, upper or lower case, of the text and of the parts of names: `wugs?` is found in "two wugs",
         find_on_wugs and FindOnWugs, not in "shrugs". A space in the pattern stands for any space, a hyphen or the end of
         a line, so that phrases are found across lines of a comment. Names of files and folders are compared, too.
  name   whole names of the code, upper and lower case as written: outside of comments and texts, in Markdown within
         backquotes.
  text   the text as it is.

The fourth column restricts a pattern to some files: globs with spaces between them, those with a ! in front exempt
files. A star stands for slashes, too.
"""

import re
import sys
from bisect import bisect_right
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

LIST = "tools/banned_words.tsv"
FOLDERS = ("include", "src", "lab", "apps", "bench", "tests", "tools", "docs", "scenes", "fabrics")
FILES = ("README.md", "CHANGELOG.md")
SUFFIXES = (".h", ".cpp", ".vert", ".frag", ".glsl", ".py", ".sh", ".md", ".toml", ".txt", ".bib")
SKIPPED = ("docs/pictures/*", "tests/fuzz/corpus/*")

# Comments and texts of C++ and Python. A quote after a digit separates thousands.
C_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z])\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
PYTHON_TEXT = re.compile(r'#[^\n]*|""".*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
CODE_SPAN = re.compile(r"`[^`\n]+`")
NAME = re.compile(r"[A-Za-z_]\w*")
# Between the parts of a name in camel case.
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# What a line of a comment, a list or a quotation begins with.
BEGIN = re.compile(r"\s*(?:(?://+|#+|[*>-])\s+|//+|#+)?")


class Rule(NamedTuple):
    kind: str
    source: str
    pattern: re.Pattern
    instead: str
    only: tuple
    exempt: tuple

    def applies_to(self, path):
        if any(fnmatch(path, glob) for glob in self.exempt):
            return False
        return not self.only or any(fnmatch(path, glob) for glob in self.only)


def compile_pattern(kind, source):
    if kind == "word":
        return re.compile(rf"\b(?:{source})\b", re.IGNORECASE)
    return re.compile(rf"(?:{source})\Z" if kind == "name" else source)


def read_rules(text):
    """The rules, and (line, message) of what is wrong with the list."""
    rules, errors = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        columns = [column.strip() for column in line.split("\t") if column.strip()]
        if len(columns) not in (3, 4) or columns[0] not in ("word", "name", "text"):
            errors.append((number, "must be word, name or text, a pattern, what to use, and perhaps where, with tabs between them"))
            continue
        kind, source, instead = columns[:3]
        globs = columns[3].split() if len(columns) == 4 else []
        try:
            pattern = compile_pattern(kind, source)
        except re.error as error:
            errors.append((number, f"'{source}' is not a regular expression: {error}"))
            continue
        only = tuple(glob for glob in globs if not glob.startswith("!"))
        rules.append(Rule(kind, source, pattern, instead, only, tuple(glob[1:] for glob in globs if glob.startswith("!"))))
    return rules, errors


def blank(match):
    """As long as the match, and with as many lines."""
    return re.sub(r"[^\n]", " ", match[0])


def split_names(text):
    """Names and compound words in parts."""
    return HUMP.sub(" ", re.sub(r"(?<=[A-Za-z0-9])_+|_+(?=[A-Za-z0-9])|(?<=[A-Za-z])-(?=[A-Za-z])", " ", text))


def words_of(text):
    """The words of all lines with single spaces between them, and where in this each line begins."""
    joined, begins, length = [], [], 0
    for line in text.split("\n"):
        words = " ".join(split_names(line[BEGIN.match(line).end():]).split())
        begins.append(length)
        joined.append(words)
        length += len(words) + (1 if words else 0)
    return " ".join(words for words in joined if words), begins


def names_of(text, suffix):
    """(position, name) of the code in a file."""
    if suffix == ".md":
        for span in CODE_SPAN.finditer(text):
            for name in NAME.finditer(span[0]):
                yield span.start() + name.start(), name[0]
    elif suffix in (".h", ".cpp", ".vert", ".frag", ".glsl", ".py"):
        for name in NAME.finditer((PYTHON_TEXT if suffix == ".py" else C_TEXT).sub(blank, text)):
            yield name.start(), name[0]


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def find_in_text(rules, path, text):
    """(line, found, rule) of each banned word of a file."""
    (words, begins), names = words_of(text), list(names_of(text, Path(path).suffix))
    for rule in rules:
        if not rule.applies_to(path):
            continue
        if rule.kind == "name":
            yield from ((line_of(text, at), name, rule) for at, name in names if rule.pattern.match(name))
        elif rule.kind == "text":
            yield from ((line_of(text, match.start()), match[0], rule) for match in rule.pattern.finditer(text))
        else:
            yield from ((bisect_right(begins, match.start()), match[0], rule) for match in rule.pattern.finditer(words))
            if match := rule.pattern.search(split_names(path)):
                yield 1, f"{match[0]} in the name of the file", rule


def files_of(root):
    paths = [root / name for name in FILES] + [p for folder in FOLDERS for p in sorted((root / folder).rglob("*"))]
    for path in paths:
        name = path.relative_to(root).as_posix()
        if path.suffix in SUFFIXES and path.is_file() and not any(fnmatch(name, glob) for glob in SKIPPED):
            yield name, path.read_text(encoding="utf-8", errors="replace")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--count"]
    root = Path(arguments[0] if arguments else Path(__file__).parent.parent).resolve()
    if not (root / LIST).is_file():
        sys.exit(f"{root / LIST}: not found")
    rules, errors = read_rules((root / LIST).read_text(encoding="utf-8"))
    if errors:
        print("\n".join(f"{LIST}:{line}: {error}" for line, error in errors))
        return 1

    count, counts = 0, dict.fromkeys(rules, 0)
    lines = []
    for name, text in files_of(root):
        count += 1
        for line, found, rule in sorted(find_in_text(rules, name, text), key=lambda entry: entry[:2]):
            counts[rule] += 1
            lines.append(f"{name}:{line}: '{found}' -> {rule.instead}")
    if "--count" in sys.argv:
        lines = [f"{number:6} {rule.kind} {rule.source}" for rule, number in counts.items()] + [f"{sum(counts.values()):6} in all"]
    print("\n".join(lines) or f"{count} files without any of {len(rules)} banned patterns")
    return 1 if any(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
