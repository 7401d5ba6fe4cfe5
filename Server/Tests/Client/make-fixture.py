#!/usr/bin/env python3
"""Writes Server/Tests/Fixtures/client-urls.json: URLs of client libraries and their meanings.

Usage: pip install -r requirements.txt && ./make-fixture.py, with Python 3.12 or newer
"""

import json
from pathlib import Path

from clients import CASES, HOST, Keys, kit_client, urls

SOURCES = [
    "http://example.com/images/curiosity.jpg",
    "https://example.com/a b/ü.png?x=1&y=a@b%25",
    "local:///folder/image.jpg",
    "s3://bucket/key/image.webp",
]
KEYS = [
    Keys(),
    Keys("736563726574", "68656C6C6F"),
    Keys("943b421c9eb07c83" * 8, "520f986b998545b4" * 8),
    Keys("943b421c9eb07c83" * 8, "520f986b998545b4" * 8, 8),
]


def main() -> None:
    if not kit_client:
        raise SystemExit("imgproxykit is missing; it needs Python 3.12")
    entries = []
    for keys in KEYS:
        for index, case in enumerate(CASES):
            source = SOURCES[index % len(SOURCES)]
            for client, url in urls(source, keys, case).items():
                assert url.startswith(HOST + "/"), url
                entries.append(
                    {
                        "client": client,
                        "key": keys.key,
                        "salt": keys.salt,
                        "size": keys.size,
                        "source": source,
                        "options": case.expected,
                        "path": url.removeprefix(HOST),
                    }
                )
    target = Path(__file__).resolve().parent.parent / "Fixtures" / "client-urls.json"
    target.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(entries)} URLs")


main()
