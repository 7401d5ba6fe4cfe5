"""Loads the images of pages with requests, pyvips and diskcache, as a straightforward program would.

Usage: page_peer.py LIST FOLDER WIDTH

LIST has a line "SIDE URL" for each image. Originals and results are kept in FOLDER. Prints the
seconds of all loads and their bytes.
"""

import concurrent.futures
import sys
import time

import diskcache
import pyvips
import requests
import requests.adapters

path, folder, width = sys.argv[1], sys.argv[2], int(sys.argv[3])
items = [line.split(maxsplit=1) for line in open(path)]
cache = diskcache.Cache(folder)
session = requests.Session()
session.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=width))


def load(item):
    side, url = int(item[0]), item[1].strip()
    made = cache.get((url, side))
    if made is None:
        original = cache.get(url)
        if original is None:
            response = session.get(url, timeout=30)
            response.raise_for_status()
            original = response.content
            cache.set(url, original)
        image = pyvips.Image.thumbnail_buffer(original, side, height=side)
        made = image.jpegsave_buffer(Q=80, strip=True)
        cache.set((url, side), made)
    return len(made)


start = time.monotonic()
with concurrent.futures.ThreadPoolExecutor(width) as pool:
    total = sum(pool.map(load, items))
print(time.monotonic() - start, total)
