#!/usr/bin/env python3
"""Folders are layers: who may include whom.

  src/LAYER      only layers before it in LAYERS, and public headers
  lab/           anything below src/sim and src/io, and its own files: a user of the engine
  include/       only public headers and the standard library
  apps/          only public headers and its own files; so does tests/consumer
  bench/ tests/  anything

Also: every header begins with #pragma once, a source includes its own header first, and files are the business of io.

  check_layers.py [ROOT]    prints file:line: message for each fault; exit code 1 if there is any
"""

import re
import sys
from pathlib import Path

# From the lowest layer to the highest. Folders of a pipeline are layers of their own.
LAYERS = """core geometry mesh content energies forces constraints integrators
collision/colliders collision/narrow_phase collision/broad_phase collision/contacts collision/response
collision collision/comparison solvers surface sim io lab render""".split()
# The public headers that declare what a lower layer implements; the others are plain data for everybody.
PUBLIC_LAYER = {"surface.h": "surface", "simulation.h": "sim", "taffeta.h": "sim", "io.h": "io",
                "lab.h": "lab", "render.h": "render"}
FILE_HEADERS = {"fstream", "filesystem", "iostream"}
PUBLIC_ONLY = ("apps", "tests/consumer")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(path):
    """(line number, is quoted, name) of each #include."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match[1] == '"', match[2]


def resolve(path, name, src):
    """The file a quoted include means: beside the including file, or below src/."""
    for folder in (path.parent, src):
        target = (folder / name).resolve()
        if target.is_file():
            return target
    return src / name  # generated or missing: judged by the folder it names


def layer_of(path, src):
    """The layer of a file below src/: its folder, or the nearest folder above that is one."""
    folder = path.relative_to(src).parent
    while folder.parts and folder.as_posix() not in LAYERS:
        folder = folder.parent
    return folder.as_posix() if folder.parts else None


def check_source(path, src):
    layer = layer_of(path, src)
    if layer is None:
        folder = path.relative_to(src).parts[0]
        yield 1, f"src/{folder}/ is not a layer; the layers are {' '.join(LAYERS)}"
        return
    for line, quoted, name in includes(path):
        if quoted:
            target = resolve(path, name, src)
            used = layer_of(target, src) if target.is_relative_to(src) else None
            if not target.is_relative_to(src):
                yield line, f'"{name}" is outside src/'
        else:
            used = PUBLIC_LAYER.get(name.removeprefix("taffeta/")) if name.startswith("taffeta/") else None
            if name in FILE_HEADERS and layer != "io":
                yield line, f"{layer} must not touch files or streams: <{name}> belongs to io"
        if used in LAYERS and LAYERS.index(used) > LAYERS.index(layer):
            yield line, f"{layer} must not include {used}, which is a higher layer: {name}"
    yield from check_own_header_first(path, src)


def check_own_header_first(path, src):
    if path.suffix != ".cpp":
        return
    found = list(includes(path))
    beside = path.with_suffix(".h")
    public = src.parent / "include/taffeta" / beside.name
    if beside.is_file():
        own = (True, beside.relative_to(src).as_posix())
    elif public.is_file() and PUBLIC_LAYER.get(beside.name, path.parent.name) in path.relative_to(src).parts:
        own = (False, f"taffeta/{beside.name}")
    else:
        return
    if not found or found[0][1:] != own:
        yield found[0][0] if found else 1, f"a source includes its own header first: {own[1]}"


def check_public(path, root):
    for line, quoted, name in includes(path):
        if quoted:
            yield line, f'a public header includes <taffeta/...>, not "{name}"'
        elif name.startswith("taffeta/"):
            if not (root / "include" / name).is_file():
                yield line, f"<{name}> is not in include/"
        elif not re.fullmatch(r"[a-z_]+", name):
            yield line, f"a public header includes only public headers and the standard library, not <{name}>"


def check_user(path, home, root):
    """Files that live from the public interface alone."""
    for line, quoted, name in includes(path):
        if quoted and not (path.parent / name).resolve().is_relative_to(home):
            yield line, f'"{name}" is outside {home.relative_to(root)}/: only <taffeta/...> is public'
        elif quoted and not (path.parent / name).is_file() and (root / "src" / name).is_file():
            yield line, f'"{name}" is private to src/: only <taffeta/...> is public'


def check(path, root):
    src = root / "src"
    if path.suffix == ".h" and not path.name.endswith("-inl.h"):  # Highway's -inl.h are included once per target
        if not re.search(r"^#pragma once$", path.read_text(encoding="utf-8"), re.MULTILINE):
            yield 1, "no #pragma once"
    if path.is_relative_to(src):
        yield from check_source(path, src)
    elif path.is_relative_to(root / "include"):
        yield from check_public(path, root)
    else:
        for home in PUBLIC_ONLY:
            if path.is_relative_to(root / home):
                yield from check_user(path, root / home, root)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    folders = (root / name for name in ("include", "src", "lab", "apps", "bench", "tests"))
    files = sorted(f for folder in folders for f in folder.rglob("*") if f.suffix in (".h", ".cpp"))
    if not files:
        sys.exit(f"{root}: no sources here")
    faults = [f"{path.relative_to(root)}:{line}: {text}" for path in files for line, text in check(path, root)]
    print("\n".join(faults) or f"{len(files)} files keep to the layers")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
