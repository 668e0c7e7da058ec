#!/usr/bin/env python3
"""Every citation key in the code and the documents, like [FGL03], stands in docs/references.bib, and every entry there
says who, what, where and when.

  check_citations.py [ROOT]    prints file:line: message for each error; exit code 1 if there is any
"""

import re
import sys
from pathlib import Path

FOLDERS = ("include", "src", "apps", "bench", "tests", "scenes", "docs")
SUFFIXES = (".h", ".cpp", ".vert", ".frag", ".glsl", ".md", ".toml", ".txt")

KEY = re.compile(r"[A-Z][A-Za-z+]*[0-9]{2}")
# [FGL03], and also [FGL03, BFA02] and [FGL03 Eq. 8].
CITATION = re.compile(rf"\[({KEY.pattern}(?:[,; ][^\[\]]*)?)\]")
ENTRY = re.compile(r"^@(\w+)\s*\{\s*([^,\s]*)\s*,", re.MULTILINE)
FIELD = re.compile(r"(\w+)\s*=\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|(\d+))")
# What an entry needs beside author, title and year.
PLACE = {"article": "journal", "inproceedings": "booktitle", "book": "publisher", "techreport": "institution",
         "phdthesis": "school", "mastersthesis": "school", "unpublished": "note", "misc": "note"}


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def check_entry(kind, key, body):
    if not KEY.fullmatch(key):
        yield f"'{key}' is no key: letters, then the two digits of the year"
    if kind not in PLACE:
        yield f"{key}: @{kind} is not known; use one of {' '.join(PLACE)}"
        return
    if body.count("{") != body.count("}"):
        yield f"{key}: the braces do not match"
    fields = {name.lower(): text.strip() or number for name, text, number in FIELD.findall(body)}
    for name in ("author", "title", "year", PLACE[kind]):
        if not fields.get(name):
            yield f"{key}: no {name}"
    year = fields.get("year", "")
    if year and not re.fullmatch(r"\d{4}", year):
        yield f"{key}: '{year}' is no year"
    elif year and year[2:] != key[-2:]:
        yield f"{key}: the key does not end with the year {year}"


def read_bibliography(text):
    """The keys, and (line, message) of each error."""
    entries = list(ENTRY.finditer(text))
    ends = [entry.start() for entry in entries[1:]] + [len(text)]
    keys, errors = set(), []
    for entry, end in zip(entries, ends):
        line, key = line_of(text, entry.start()), entry[2]
        if key in keys:
            errors.append((line, f"{key} stands twice"))
        keys.add(key)
        errors += [(line, error) for error in check_entry(entry[1].lower(), key, text[entry.start():end])]
    return keys, errors


def citations(text):
    for match in CITATION.finditer(text):
        for key in KEY.findall(match[1]):
            yield line_of(text, match.start()), key


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    bibliography = root / "docs/references.bib"
    if not bibliography.is_file():
        sys.exit(f"{bibliography}: not found")
    keys, bib_errors = read_bibliography(bibliography.read_text(encoding="utf-8"))
    errors = [f"docs/references.bib:{line}: {error}" for line, error in bib_errors]

    files = [root / "README.md"] + [f for folder in FOLDERS for f in sorted((root / folder).rglob("*"))]
    count = 0
    for path in files:
        if path.suffix not in SUFFIXES or not path.is_file():
            continue
        for line, key in citations(path.read_text(encoding="utf-8", errors="replace")):
            count += 1
            if key not in keys:
                errors.append(f"{path.relative_to(root)}:{line}: [{key}] is not in docs/references.bib")
    print("\n".join(errors) or f"{count} citations of {len(keys)} works")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
