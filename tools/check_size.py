#!/usr/bin/env python3
"""Functions, files and classes stay small enough to be read in one piece.

  functions  at most 80 lines, from the first line of the head to the closing brace
  files      at most 500 lines
  classes    at most 15 data members of their own, unless the comment above the class gives a reason:
                 // Many members: one array per quantity, which every kernel reads together.

Functions and files are checked in include/ src/ apps/ bench/ tests/, classes in include/ src/ apps/. The parser counts
braces; it expects code that clang-format has laid out, and no macros that open or close a scope.

  check_size.py [ROOT]    prints file:line: message for each error; exit code 1 if there is any
"""

import re
import sys
from pathlib import Path

MAX_FUNCTION = 80
MAX_FILE = 500
MAX_MEMBERS = 15
REASON = re.compile(r"//+ Many members: \S+")
FOLDERS = ("include", "src", "apps", "bench", "tests")
CLASS_FOLDERS = ("include", "src", "apps")

# Braces do not count in comments, literals and preprocessor lines (with their continuations).
# A ' between digits separates thousands and opens no literal.
HIDDEN = re.compile(
    r"""//[^\n]* | /\*.*?\*/
      | R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'
      | ^[ \t]*\#(?:\\\n|[^\n])*""",
    re.VERBOSE | re.DOTALL | re.MULTILINE)
CLASS = re.compile(r"(?:template\s*<.*>\s*)?(?:class|struct|union)\b\s*(?:alignas\(.*?\)\s*)?(\w*)[^(=]*$", re.DOTALL)
TEST = re.compile(r"TEST\w*\(\s*(\w+)\s*,\s*(\w+)\s*\)$")
FUNCTION = re.compile(r"(operator\s*(?:\(\)|[^\s(]+)|[~\w:]+)\s*\(")
LAMBDA = re.compile(r"(\w+)\s*=\s*\[[^\]]*\]")
# A constructor whose list of initializers has begun, up to the name of a member; its brace does not open the body.
INITIALIZED_MEMBER = re.compile(r"\)\s*(?:noexcept\s*)?:(?!:).*[\w>]$", re.DOTALL)
ACCESS = re.compile(r"(?:public|private|protected)$")
NO_MEMBER = re.compile(r"(?:using|typedef|friend|static|static_assert|template|class|struct|union|enum)\b")


class Scope:
    """A pair of braces. Its kind is namespace, class, enum, function, or block for everything else."""

    def __init__(self, kind, name, first):
        self.kind, self.name, self.first = kind, name, first
        self.last = first
        self.members = 0


def without_brackets(text, brackets):
    """The text without these two brackets and what stands between them."""
    depth, kept = 0, []
    for character in text:
        depth += character == brackets[0]
        if not depth:
            kept.append(character)
        depth -= character == brackets[1] and depth > 0
    return "".join(kept)


def kind_and_name(head, parent):
    """What the brace after this head opens."""
    if parent in ("function", "block", "enum"):
        return "block", ""
    if re.match(r"(?:inline\s+)?namespace\b|extern$", head):
        return "namespace", ""
    if head.startswith("enum"):
        return "enum", ""
    if match := CLASS.match(head):
        return "class", match[1] or "(unnamed)"
    if match := TEST.match(head):
        return "function", f"{match[1]}.{match[2]}"
    if match := LAMBDA.search(head):
        return "function", match[1]
    is_assignment = "=" in without_brackets(head, "()") and "operator" not in head
    if is_assignment or "(" not in head:
        return "block", ""
    if INITIALIZED_MEMBER.search(head) and not re.search(r"\b(?:const|override|try)$", head):
        return "block", ""
    match = FUNCTION.search(re.sub(r"^template\s*<.*?>\s*(?=[\w:])|requires\s*\(.*?\)", "", head))
    return "function", match[1] if match else head


def members_in(statement):
    """How many data members a statement of a class declares; initializers in braces are `{}`."""
    statement = re.sub(r"\[\[.*?\]\]|\balignas\([^()]*\)|\{\}", "", statement).strip()
    if not statement or NO_MEMBER.match(statement) or "operator" in statement:
        return 0
    statement = re.sub(r"\(\*\w+\)\s*\([^()]*\)", "pointer", statement)  # to a function
    statement = without_brackets(statement, "<>")
    if "(" in statement.split("=")[0]:
        return 0
    return 1 + re.sub(r"=[^,]*", "", without_brackets(statement, "()")).count(",")


def scopes_of(text):
    """All scopes of a file."""
    code = HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    found, stack = [], [(Scope("namespace", "", 1), "", 0)]  # scope, statement before its brace, depth of ( there
    statement, depth, line, first = "", 0, 1, 1
    for character in code:
        line += character == "\n"
        if not statement.strip():
            statement, first = "", line
        scope = stack[-1][0]
        if character == "{":
            kind, name = kind_and_name(statement.strip(), scope.kind) if not depth else ("block", "")
            stack.append((Scope(kind, name, first), statement, depth))
            statement, depth = "", 0
        elif character == "}" and len(stack) > 1:
            _, before, depth = stack.pop()
            scope.last = line
            found.append(scope)
            statement = before + "{}" if scope.kind == "block" else ""
        elif character == ";" and not depth:
            if scope.kind == "class":
                scope.members += members_in(statement)
            statement = ""
        elif character == ":" and ACCESS.match(statement.strip()):
            statement = ""
        else:
            depth += (character == "(") - (character == ")")
            statement += character
    return found


def has_reason(lines, first):
    """Whether the comment that ends above line `first` says why a class has many members."""
    above = first - 2
    while above >= 0 and lines[above].lstrip().startswith("//"):
        if REASON.search(lines[above]):
            return True
        above -= 1
    return False


def check(path, with_classes):
    """(line, message) of each error in a file."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    if len(lines) > MAX_FILE:
        yield 1, f"the file has {len(lines)} lines; at most {MAX_FILE}"
    for scope in scopes_of(text):
        length = scope.last - scope.first + 1
        if scope.kind == "function" and length > MAX_FUNCTION:
            yield scope.first, f"{scope.name} has {length} lines; at most {MAX_FUNCTION}"
        if with_classes and scope.kind == "class" and scope.members > MAX_MEMBERS and not has_reason(lines, scope.first):
            yield scope.first, (f"{scope.name} has {scope.members} data members; at most {MAX_MEMBERS}, "
                                "or a comment above it: // Many members: <reason>")


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    files = [(file, folder in CLASS_FOLDERS) for folder in FOLDERS for file in sorted((root / folder).rglob("*"))
             if file.suffix in (".h", ".cpp")]
    if not files:
        sys.exit(f"{root}: no sources here")
    errors = [f"{path.relative_to(root)}:{line}: {text}"
              for path, with_classes in files for line, text in sorted(check(path, with_classes))]
    print("\n".join(errors) or f"{len(files)} files are small enough")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
