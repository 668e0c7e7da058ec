#!/usr/bin/env python3
"""The real window: real mouse and keys on a display of its own; what it drew is told by its --log.

  window_test.py TAFFETA [--preload=LIBRARY] [unittest options]

The library is loaded into the program before all else. Exit code 77: Xvfb or xdotool is missing.
"""

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = ""
PRELOAD = ""
PATIENCE = 30.0  # s; OpenGL may be software, the machine busy
SIZE = (480, 360)  # small, for the same reason
BESIDE = (60, 60)  # a place of the window with neither cloth nor panel

# A cloth that hangs still, in the middle of the window and large enough to be hit; a ball to its left.
SCENE = """
duration = 4
[solver]
method = "limits"
damping = 4.0
[[cloth]]
grid = { size = [1, 1], cells = [12, 12] }
position = [0, 1, 0]
rotation = [90, 0, 0]
pins = [ { corner = "-x-z" }, { corner = "+x-z" } ]
self_collision = false
[[collider]]
shape = "sphere"
radius = 0.25
position = [-1, 0.6, 0]
[view]
camera = { from = [0, 1, 3.4], at = [0, 1, 0], fov = 40 }
"""


class Display:
    """An X server without a screen."""

    def __init__(self):
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "800x600x24", "-nolisten", "tcp"],
            pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise RuntimeError("Xvfb did not start")
        self.name = f":{number}"

    def close(self):
        self.server.terminate()
        self.server.wait()


def program_environment(display):
    environment = dict(os.environ, DISPLAY=display.name, LIBGL_ALWAYS_SOFTWARE="1")
    if PRELOAD:
        environment.update(LD_PRELOAD=PRELOAD, ASAN_OPTIONS="verify_asan_link_order=0")
    return environment


class Player:
    """A running `taffeta play`, and the hands of its user."""

    def __init__(self, display, folder, *arguments):
        self.log = folder / f"frames{len(list(folder.glob('*.jsonl')))}.jsonl"
        self.outcome = None
        self.environment = dict(os.environ, DISPLAY=display.name)
        command = [PROGRAM, "play", *map(str, arguments), "--size", "%dx%d" % SIZE, "--samples", "1",
                   "--out", folder, "--log", self.log]
        self.process = subprocess.Popen(command, env=program_environment(display), stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.window = None
        self.wait_for(lambda frame: frame["frame"] >= 1)
        self.window = self.xdo("search", "--sync", "--onlyvisible", "--pid", self.process.pid).split()[-1]
        self.xdo("windowfocus", "--sync", self.window)

    def xdo(self, *words):
        return subprocess.run(["xdotool", *map(str, words)], env=self.environment, timeout=PATIENCE, check=True,
                              capture_output=True, text=True).stdout

    def frames(self):
        if not self.log.exists():
            return []
        text = self.log.read_text(encoding="utf-8")
        return [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]

    def last(self):
        return self.frames()[-1]

    def wait_for(self, condition, what=""):
        """The first frame from now on, or the last until now, of which the condition holds."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            frames = self.frames()
            if frames and condition(frames[-1]):
                return frames[-1]
            if self.process.poll() is not None:
                raise AssertionError(f"the program has ended: {self.process.communicate()}")
            time.sleep(0.02)
        raise AssertionError(f"waited in vain {what}; the last frame: {self.frames()[-1:]}")

    def move(self, x, y):
        self.xdo("mousemove", "--window", self.window, round(x), round(y))
        return self.wait_for(lambda f: math.dist(f["pointer"], (round(x), round(y))) < 0.5, "for the pointer")

    def press(self, button=1):
        self.xdo("mousedown", button)

    def release(self, button=1):
        self.xdo("mouseup", button)

    def key(self, name):
        names = [name] if isinstance(name, str) else name
        self.xdo("key", *names)  # --clearmodifiers would let go of mouse buttons, too

    def next_frame(self):
        now = self.last()["frame"]
        return self.wait_for(lambda f: f["frame"] > now + 1)

    def end(self):
        """Quits as a user would; (exit code, what it wrote to stderr)."""
        if self.outcome is None:
            if self.process.poll() is None:
                self.key("ctrl+q")
            try:
                _, errors = self.process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.communicate()
                raise
            self.outcome = self.process.returncode, errors
        return self.outcome


class WindowTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.display = Display()
        cls.addClassCleanup(cls.display.close)

    def setUp(self):
        self.folder = Path(self.enterContext_(tempfile.TemporaryDirectory()))
        self.scene = self.folder / "sheet.toml"
        self.scene.write_text(SCENE, encoding="utf-8")

    def enterContext_(self, manager):  # unittest has its own from Python 3.11 on
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def play(self, *arguments):
        player = Player(self.display, self.folder, *(arguments or (self.scene,)))
        self.addCleanup(self.finish, player)
        player.key("Tab")  # the panel would cover half of this small window
        player.move(*BESIDE)
        return player

    def finish(self, player):
        if player.process.poll() is None:
            player.release(1)
        code, errors = player.end()
        frames = player.frames()
        self.assertEqual(code, 0, errors)
        self.assertEqual(errors, "")
        self.assertEqual(frames[-1]["gl_errors"], 0, [f["messages"] for f in frames if f["messages"]])

    def assert_under_pointer(self, frame, grab=0):
        held = frame["grabs"][grab]
        self.assertLessEqual(math.dist(held["screen"], frame["pointer"]), 2.0, frame)

    def take_cloth(self, player, x=240, y=150):
        frame = player.move(x, y)
        self.assertEqual(frame["hover"], "cloth", frame)
        player.press()
        return player.wait_for(lambda f: len(f["grabs"]) > len(frame["grabs"]), "for the grab")

    def test_grabbed_cloth_stays_under_the_pointer_and_the_camera_where_it_is(self):
        player = self.play()
        before = self.take_cloth(player)
        first = before["frame"]
        for x, y in ((250, 160), (280, 200), (200, 120), (150, 240), (240, 180)):
            player.move(x, y)
            player.next_frame()
        held = [f for f in player.frames() if f["frame"] >= first]
        self.assertGreater(len(held), 5)
        for frame in held:
            self.assert_under_pointer(frame)
        # Not only in the picture: when the pointer rests, the simulated vertex is there too.
        player.wait_for(lambda f: math.dist(f["grabs"][0]["simulated"], f["pointer"]) <= 2.0, "for the cloth itself")
        self.assertEqual(held[-1]["camera"], before["camera"])
        self.assertNotEqual(held[-1]["grabs"][0]["position"], before["grabs"][0]["position"])
        self.assertGreater(held[-1]["steps"], before["steps"])
        player.release()
        player.wait_for(lambda f: not f["grabs"], "for the release")

    def test_ten_thousand_particles_follow_the_pointer_within_a_frame(self):
        player = self.play(self.scene, "--set", "cloth.0.grid.cells=[99, 99]", "--set", "gravity=[0, -0.2, 0]")
        self.take_cloth(player)
        first = player.last()["frame"]
        for x, y in ((250, 160), (280, 200), (200, 120)):
            player.move(x, y)
            player.next_frame()
        held = [f for f in player.frames() if f["frame"] >= first]
        for frame in held:
            self.assert_under_pointer(frame)
            # From the event to the picture that shows it: the frame it waits for and the frame that is drawn.
            self.assertLess(frame["input_ms"], 3 * frame["frame_ms"] + 500, frame)

    def test_a_drag_beside_the_cloth_turns_the_camera_and_takes_nothing(self):
        player = self.play()
        before = player.move(*BESIDE)
        self.assertEqual(before["hover"], "nothing")
        player.press()
        after = player.move(BESIDE[0] + 60, BESIDE[1] + 30)
        player.release()
        self.assertEqual(after["grabs"], [])
        self.assertEqual(after["camera"]["at"], before["camera"]["at"])
        self.assertGreater(math.dist(after["camera"]["from"], before["camera"]["from"]), 0.5)
        self.assertAlmostEqual(math.dist(after["camera"]["from"], after["camera"]["at"]),
                               math.dist(before["camera"]["from"], before["camera"]["at"]), places=3)
        # the right button moves the view, the wheel brings it closer
        player.press(3)
        panned = player.move(*BESIDE)
        player.release(3)
        self.assertGreater(math.dist(panned["camera"]["at"], after["camera"]["at"]), 0.05)
        player.xdo("click", 4)
        closer = player.wait_for(lambda f: math.dist(f["camera"]["from"], f["camera"]["at"]) < 3.3, "for the zoom")
        self.assertEqual(closer["camera"]["at"], panned["camera"]["at"])

    def test_pinned_cloth_stays_when_the_button_is_released(self):
        player = self.play()
        self.take_cloth(player)
        player.move(245, 130)
        player.key("p")
        player.wait_for(lambda f: f["grabs"][0]["pinned"], "for the pin")
        player.release()
        player.move(*BESIDE)
        pinned = player.next_frame()
        self.assertEqual(len(pinned["grabs"]), 1)
        self.assertLessEqual(math.dist(pinned["grabs"][0]["screen"], (245, 130)), 2.0)
        # a second one, then both are let go
        self.take_cloth(player, 200, 150)
        player.move(195, 145)
        player.key("p")
        player.release()
        player.wait_for(lambda f: [g["pinned"] for g in f["grabs"]] == [True, True], "for the second pin")
        self.assertEqual(player.move(245, 130)["hover"], "hand")
        player.press()
        player.release()
        player.wait_for(lambda f: len(f["grabs"]) == 1, "for the click on a pin")
        player.key("u")
        player.wait_for(lambda f: not f["grabs"], "for the release of all")

    def test_pause_step_and_reset(self):
        player = self.play(self.scene, "--paused")
        start = player.wait_for(lambda f: f["paused"])
        self.assertEqual(start["steps"], 0)
        for step in (1, 2):
            player.key("period")
            player.wait_for(lambda f, n=step: f["steps"] == n, "for a step")
        stepped = player.next_frame()
        self.assertEqual((stepped["steps"], stepped["paused"]), (2, True))
        self.assertNotEqual(stepped["hash"], start["hash"])
        player.key("space")
        player.wait_for(lambda f: f["steps"] > 4 and not f["paused"], "for the motion")
        player.key("space")
        player.wait_for(lambda f: f["paused"], "for the pause")
        player.key("r")
        again = player.wait_for(lambda f: f["steps"] == 0, "for the reset")
        self.assertEqual(again["hash"], start["hash"])
        for _ in range(2):
            player.key("period")
        same = player.wait_for(lambda f: f["steps"] == 2, "for two steps")
        self.assertEqual(same["hash"], stepped["hash"])

    def test_a_body_follows_the_pointer(self):
        player = self.play()
        frame = player.move(80, 240)
        self.assertEqual(frame["hover"], "collider", frame)
        player.press()
        player.move(150, 200)
        player.release()
        moved = player.next_frame()
        self.assertEqual(moved["camera"], frame["camera"])
        self.assertEqual(moved["hover"], "collider", moved)
        self.assertEqual(player.move(60, 250)["hover"], "nothing")

    def test_keys_change_the_view_and_save_a_picture(self):
        player = self.play()
        for key, view in (("3", "strain"), ("5", "hierarchy"), ("1", "shaded")):
            player.key(key)
            player.wait_for(lambda f, v=view: f["view"] == v, f"for {view}")
            player.next_frame()
        player.key("h")
        player.key("s")
        said = player.wait_for(lambda f: f["messages"], "for the picture")["messages"]
        self.assertIn("sheet-001.png", said[0])
        self.assertEqual((self.folder / "sheet-001.png").read_bytes()[:4], b"\x89PNG")
        player.key("Escape")

    def test_the_picture_follows_the_size_of_the_window(self):
        player = self.play()
        for width, height in ((640, 300), (300, 500)):
            player.xdo("windowsize", player.window, width, height)
            player.wait_for(lambda f, s=[width, height]: f["size"] == s, "for the size")
        self.take_cloth(player, 150, 220)
        self.assert_under_pointer(player.move(160, 260))
        player.release()
        player.xdo("windowunmap", "--sync", player.window)
        player.xdo("windowmap", "--sync", player.window)
        player.xdo("windowfocus", "--sync", player.window)
        player.next_frame()

    def test_recorded_hands_do_the_same_again(self):
        player = self.play()
        player.key("g")
        player.wait_for(lambda f: f["recording"] and f["steps"] < 60, "for the recording")
        self.take_cloth(player)
        for x, y in ((280, 200), (200, 120)):
            player.move(x, y)
            player.next_frame()
        player.release()
        player.wait_for(lambda f: not f["grabs"], "for the release")
        player.key("space")
        last = player.wait_for(lambda f: f["paused"], "for the pause")
        player.key("g")
        said = player.wait_for(lambda f: f["messages"], "for the scene")["messages"]
        scene = self.folder / "sheet-hands-001.toml"
        self.assertIn(scene.name, said[0])
        self.assertIn("[[grab]]", scene.read_text(encoding="utf-8"))
        player.end()

        again = self.play(scene, "--paused")
        for done in range(0, last["steps"], 20):
            again.key(["period"] * min(20, last["steps"] - done))
            again.wait_for(lambda f, n=min(done + 20, last["steps"]): f["steps"] == n, "for the steps")
        self.assertEqual(again.last()["hash"], last["hash"], f"after {last['steps']} steps")

    def test_a_bad_scene_ends_with_two_and_says_why(self):
        bad = self.folder / "bad.toml"
        bad.write_text("[solver]\nsubsteps = 0\n[[cloth]]\n", encoding="utf-8")
        for scene, word in ((bad, "bad.toml:2: "), (self.folder / "missing.toml", "missing.toml"),
                            (self.folder / "picture.png", "neither a scene")):
            done = subprocess.run([PROGRAM, "play", scene], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(word, done.stderr)

    def test_without_a_display_it_says_what_works(self):
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        done = subprocess.run([PROGRAM, "play"], env=environment, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("taffeta run SCENE -o film.mp4", done.stderr)

    def test_ends_after_the_frames_asked_for(self):
        mesh = self.folder / "square.obj"
        mesh.write_text("v 0 0 0\nv 100 0 0\nv 100 0 100\nv 0 0 100\nf 1 4 3 2\n", encoding="utf-8")
        log = self.folder / "frames.jsonl"
        done = subprocess.run([PROGRAM, "play", mesh, "--frames", "3", "--paused", "--log", log, "--size", "200x200"],
                              env=program_environment(self.display), capture_output=True, text=True,
                              timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(len(log.read_text().splitlines()), 3)


if __name__ == "__main__":
    for tool in ("Xvfb", "xdotool"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            sys.exit(77)
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    if len(sys.argv) > 1 and sys.argv[1].startswith("--preload="):
        PRELOAD = sys.argv.pop(1).removeprefix("--preload=")
    unittest.main()
