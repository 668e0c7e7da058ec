#!/usr/bin/env python3
"""Puts the tables that `taffeta keys --markdown` and its neighbours print into documents, each between the lines that
begin and end it there: <!-- taffeta COMMAND --markdown: NAME --> and <!-- end -->.

  fill_tables.py TAFFETA DOCUMENT...
"""

import re
import subprocess
import sys
from pathlib import Path

TABLE = re.compile(r"<!-- taffeta (\w+) --markdown: \w+ -->\n.*?<!-- end -->\n", re.DOTALL)


def fill(program, document):
    text = document.read_text(encoding="utf-8")
    tables = {}
    for command in {table[1] for table in TABLE.finditer(text)}:
        printed = subprocess.run([program, command, "--markdown"], check=True, capture_output=True, text=True).stdout
        tables |= {table[0].splitlines()[0]: table[0] for table in TABLE.finditer(printed)}
    filled = TABLE.sub(lambda old: tables[old[0].splitlines()[0]], text)
    if filled != text:
        document.write_text(filled, encoding="utf-8")
    print(f"{document}: {len(tables)} tables")


def main():
    for document in sys.argv[2:]:
        fill(sys.argv[1], Path(document))


if __name__ == "__main__":
    main()
