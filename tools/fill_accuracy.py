#!/usr/bin/env python3
"""Puts the tables of the laboratory into a document, each between the lines that begin and end it there.

  fill_accuracy.py FOLDER DOCUMENT     FOLDER: of `taffeta lab all -o FOLDER`

`<!-- lab: TEST -->` and `<!-- end -->` are such lines. What is between them stays if FOLDER has no TEST.json.
"""

import json
import re
import sys
from pathlib import Path

BLOCK = re.compile(r"<!-- lab: (\w+) -->\n.*?<!-- end -->\n", re.DOTALL)


def number(value):
    return "" if value is None else f"{value:.4g}"


def error(row):
    """In percent, where something other than zero is expected."""
    if row.get("error") is None or row["expected"] == 0:
        return ""
    return f"{100 * row['error']:+.2f} %"


def verdict(row):
    return "" if "within" not in row else "" if row["within"] else "**beyond**"


def table(report):
    lines = ["| quantity | simulated | expected | unit | error | |", "|---|--:|--:|---|--:|---|"]
    for row in report["rows"]:
        cells = [row["quantity"], number(row["simulated"]), number(row.get("expected")), row["unit"], error(row),
                 verdict(row)]
        lines.append("| " + " | ".join(cells) + " |")
    head = (f"Fabric `{report['fabric']}`, method `{report['method']}`, {report['cells']} cells, "
            f"{report['seconds']:.1f} s.")
    notes = [f"- {note}" for note in report["notes"]]
    return "\n".join([head, ""] + lines + ([""] + notes if notes else [])) + "\n"


def fill(text, folder):
    def block(old):
        source = folder / f"{old[1]}.json"
        if not source.is_file():
            return old[0]
        report = json.loads(source.read_text(encoding="utf-8"))
        return f"<!-- lab: {old[1]} -->\n\n{table(report)}\n<!-- end -->\n"

    return BLOCK.sub(block, text)


def main():
    folder, target = Path(sys.argv[1]), Path(sys.argv[2])
    if not folder.is_dir():
        sys.exit(f"{folder}: there is no such folder; `taffeta lab all -o {folder}` makes it")
    text = target.read_text(encoding="utf-8")
    filled = fill(text, folder)
    if filled != text:
        target.write_text(filled, encoding="utf-8")
    print(f"{target}: {len(BLOCK.findall(filled))} tables")


if __name__ == "__main__":
    main()
