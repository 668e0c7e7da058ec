#!/usr/bin/env python3
"""Puts the tables that the benchmark measured into a document, each between the lines that begin and end it there.

  fill_bench.py BENCH.json DOCUMENT     BENCH.json: of `taffeta_bench --json`

`<!-- bench: NAME -->` and `<!-- end -->` are such lines; NAME is a table, `bars` or `machine`. What is between them stays if
BENCH.json does not have that table.
"""

import json
import re
import sys
from pathlib import Path

BLOCK = re.compile(r"<!-- bench: (\w+) -->\n.*?<!-- end -->\n", re.DOTALL)


def markdown(headings, rows):
    """Text starts at the left, numbers end at the right."""
    is_text = [all(isinstance(row[k], str) for row in rows) for k in range(len(headings))]
    lines = [headings, ["---" if text else "--:" for text in is_text]]
    lines += [[cell if isinstance(cell, str) else cell[0] for cell in row] for row in rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def cell(row, column):
    """Text, or a number as its digits in a list of one, so that columns of numbers are known."""
    value = row.get(column["key"])
    if value is None:
        return [""]
    return value if isinstance(value, str) else [f"{value:.{column['decimals']}f}"]


def table(described):
    columns = described["columns"]
    return markdown([column["heading"] for column in columns], [[cell(row, column) for column in columns] for row in described["rows"]])


def bars(document):
    # JSON has no infinity: a null.
    measured = ["no end" if bar["value"] is None else f"{bar['value']:.5g}" for bar in document["bars"]]
    rows = [
        [bar["what"], [value], f"{bar['relation']} {bar['bound']:g}", "holds" if bar["holds"] else "**fails**"]
        for bar, value in zip(document["bars"], measured)
    ]
    return markdown(["what", "measured", "bound", ""], rows)


def blocks(document):
    """The text of every block, by name."""
    texts = {name: table(described) for name, described in document["tables"].items()}
    texts["bars"] = bars(document)
    texts["machine"] = f"Measured on: {document['cpu']}, {document['threads']} threads.\n"
    return texts


def fill(text, document):
    texts = blocks(document)
    # The empty line lets Markdown see the table after the comment.
    return BLOCK.sub(lambda old: f"<!-- bench: {old[1]} -->\n\n{texts[old[1]]}\n<!-- end -->\n" if old[1] in texts else old[0], text)


def main():
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    if not source.is_file():
        sys.exit(f"{source}: there is no such file; `./dev bench --json {source}` makes it")
    text = target.read_text(encoding="utf-8")
    filled = fill(text, json.loads(source.read_text(encoding="utf-8")))
    if filled != text:
        target.write_text(filled, encoding="utf-8")
    print(f"{target}: {len(BLOCK.findall(filled))} blocks")


if __name__ == "__main__":
    main()
