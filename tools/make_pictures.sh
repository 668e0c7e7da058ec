#!/usr/bin/env bash
# Makes every picture of the documentation again, with the program itself.
#   make_pictures.sh TAFFETA FOLDER     TAFFETA: the program; FOLDER: where the pictures go
set -euo pipefail
taffeta=$(readlink -f "$1")
mkdir -p "$2"
folder=$(readlink -f "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# side_by_side OUT PICTURE...: in one row.
side_by_side() {
    local out=$1 inputs=() picture
    shift
    for picture in "$@"; do inputs+=(-i "$picture"); done
    ffmpeg -loglevel error -y "${inputs[@]}" -filter_complex "hstack=inputs=$#" -q:v 3 "$folder/$out"
    echo "$folder/$out"
}

"$taffeta" run tablecloth -o tablecloth.png --size 1280x640 --quiet
ffmpeg -loglevel error -y -i tablecloth.png -q:v 3 "$folder/tablecloth.jpg"
echo "$folder/tablecloth.jpg"

# The dragged tabletop of Fig. 3, six moments.
"$taffeta" run tabletop_dragged -o 'dragged_###.png' --size 300x400 --quiet
side_by_side dragged.jpg dragged_{012,036,042,078,138,150}.png

# Fig. 1: held at one end, seen from below; without and with self-collision.
from_below=(--size 560x560 --camera 0.9,0,0.55:0.58,0.5,0:50 --quiet)
"$taffeta" run tabletop_held_no_self -o without.png "${from_below[@]}"
"$taffeta" run tabletop_held -o with.png "${from_below[@]}"
side_by_side held.jpg without.png with.png

# Fig. 2: a soft and a stiff fabric on the sphere.
"$taffeta" run sphere_soft -o soft.png --size 560x560 --quiet
"$taffeta" run sphere_stiff -o stiff.png --size 560x560 --quiet
side_by_side sphere.jpg soft.png stiff.png

# The views.
for view in wireframe strain contacts hierarchy normals; do
    "$taffeta" run tabletop_held -o "$view.png" --view "$view" --duration 3 --size 300x400 \
        --camera 1.6,0.9,2.3:0.58,0.85,0:36 --quiet
done
side_by_side views.jpg wireframe.png strain.png contacts.png hierarchy.png normals.png

# A flag in the wind, from the cloth's own side of the pole.
"$taffeta" run flag -o flag.png --size 1280x640 --quiet
ffmpeg -loglevel error -y -i flag.png -q:v 3 "$folder/flag.jpg"
echo "$folder/flag.jpg"

# The scenes of collisions: one moment of each, and six of the walk.
while read -r scene seconds; do
    "$taffeta" run "$scene" -o "$scene.png" --duration "$seconds" --size 360x270 --quiet
done <<'END'
mezger_tablecloth 10
fast_sheets 1.5
tape 8
ring 4.5
twist 8
pressed_stack 5
END
ffmpeg -loglevel error -y -i mezger_tablecloth.png -i fast_sheets.png -i tape.png -i ring.png -i twist.png -i pressed_stack.png \
    -filter_complex '[0][1][2]hstack=inputs=3[a];[3][4][5]hstack=inputs=3[b];[a][b]vstack' -q:v 3 "$folder/collisions.jpg"
echo "$folder/collisions.jpg"
"$taffeta" run walking_trousers -o 'walking_###.png' --duration 3.4 --size 240x360 --quiet
side_by_side walking.jpg walking_{000,060,068,076,084,100}.png

# The window, under a display of its own.
cat >window.sh <<'END'
"$1" play tablecloth --size 1280x800 --out . &
sleep 9 # of which the cloth needs three
ffmpeg -loglevel error -y -f x11grab -video_size 1280x800 -i "$DISPLAY" -frames:v 1 "$2"
kill %1
END
xvfb-run -a -s '-screen 0 1280x800x24' bash window.sh "$taffeta" "$folder/viewer.png"
echo "$folder/viewer.png"
