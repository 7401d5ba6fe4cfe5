"""Fails unless a screen reader gets the names of the gallery's window and of its buttons.

Usage: names.py GALLERY

Reads the bus of assistive technology until they are there.
"""

import os
import subprocess
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib

TITLE = "Landscape 14"
# Those that the page adds to the bar of the window, and those on the image.
BUTTONS = {"Back", "Information", "Zoom out", "Zoom in", "Whole picture", "Full screen"}
BUTTONS |= {"Previous picture", "Next picture"}


def walk(node):
    """All objects below one, which may go while they are read."""
    yield node
    for index in range(node.get_child_count()):
        child = node.get_child_at_index(index)
        if child is not None:
            yield from walk(child)


def names(role):
    """The names of the objects whose role contains a word."""
    try:
        return {node.get_name() for node in walk(Atspi.get_desktop(0)) if role in node.get_role_name()}
    except GLib.Error:
        return set()


def main():
    Atspi.init()
    gallery = subprocess.Popen(
        [sys.argv[1], "--page", "detail"], env=dict(os.environ, G_DEBUG="fatal-warnings")
    )
    try:
        wait_for_names()
    finally:
        gallery.terminate()
        gallery.wait()
    print("the window and its buttons have names")


def wait_for_names():
    deadline = time.monotonic() + 60
    while TITLE not in names("frame") or not BUTTONS <= names("button"):
        if time.monotonic() > deadline:
            missing = sorted(BUTTONS - names("button"))
            sys.exit(f"error: windows {names('frame')}, without a name: {missing}")
        time.sleep(0.1)


main()
