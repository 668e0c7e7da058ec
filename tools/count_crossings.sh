#!/usr/bin/env bash
# Runs the scenes of collisions to their end, with triangles and with particles, and prints the table of docs/collisions.md.
#   count_crossings.sh TAFFETA [SCENE...]     TAFFETA: the program
set -euo pipefail
taffeta=$(readlink -f "$1")
shift
scenes=("$@")
[ $# -gt 0 ] || scenes=(mezger_tablecloth fast_sheets tape ring twist pressed_stack walking_trousers)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# number KEY FILE: of JSON with a key per line.
number() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" "$2" | head -n 1; }

echo '| scene | particles: cloth, bodies | triangles: cloth, bodies | unresolved |'
echo '|---|--:|--:|--:|'
for scene in "${scenes[@]}"; do
    for kind in particles triangles; do
        all=()
        cloths=$("$taffeta" run "$scene" -o start/ --duration 0 --quiet && grep -c '^\[\[cloth\]\]' start/scene.toml)
        for ((k = 0; k < cloths; ++k)); do all+=(--set "cloth.$k.self_collision=$kind"); done
        "$taffeta" run "$scene" -o "$kind/" "${all[@]}" --quiet
        "$taffeta" check "$kind/" --json >"$kind.json" || true
        rm -rf start
    done
    unresolved=$(tr -d ' \n' <triangles/report.json | sed 's/.*"unresolved":\[\([^]]*\)\].*/\1/' | tr ',' '\n' | awk '{ sum += $1 } END { print sum + 0 }')
    echo "| \`$scene\` | $(number worst_intersections particles.json), $(number worst_body_intersections particles.json)" \
        "| $(number worst_intersections triangles.json), $(number worst_body_intersections triangles.json) | $unresolved |"
    rm -rf particles triangles
done
