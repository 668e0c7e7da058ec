#!/usr/bin/env python3
"""Puts the tables that `taffeta keys --markdown` prints into a document, each between the lines that begin and end it there.

  fill_tables.py TAFFETA DOCUMENT
"""

import re
import subprocess
import sys
from pathlib import Path

TABLE = re.compile(r"<!-- taffeta keys --markdown: \w+ -->\n.*?<!-- end -->\n", re.DOTALL)


def main():
    program, document = sys.argv[1], Path(sys.argv[2])
    printed = subprocess.run([program, "keys", "--markdown"], check=True, capture_output=True, text=True).stdout
    tables = {table.splitlines()[0]: table for table in TABLE.findall(printed)}
    text = document.read_text(encoding="utf-8")
    filled = TABLE.sub(lambda old: tables[old[0].splitlines()[0]], text)
    if filled != text:
        document.write_text(filled, encoding="utf-8")
    print(f"{document}: {len(tables)} tables")


if __name__ == "__main__":
    main()
