"""Lets Prometheus read an image service, compares the metrics that it finds with the list in
OPERATION.md, and runs every query of the dashboard in Deploy.

Usage: dashboard.py KF_SERVE PROMETHEUS PICTURES SCRATCH

KF_SERVE and PROMETHEUS are programs, PICTURES is a folder with grid.png, the source of the images.
"""

import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time
import urllib.parse

kf_serve, prometheus, pictures = sys.argv[1:4]
scratch = pathlib.Path(sys.argv[4]).resolve()
root = pathlib.Path(__file__).resolve().parents[3]
board = json.loads((root / "Deploy/grafana.json").read_text())
documented = set(re.findall(r"^\| `((?:kf|process)_\w+)` \| (\w+) \|",
                            (root / "Server/OPERATION.md").read_text(), re.MULTILINE))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def wait(what, is_there):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            if is_there():
                return
        except OSError:
            pass
        time.sleep(0.2)
    sys.exit(f"{what} did not happen within a minute")


def query(text):
    path = "/api/v1/query?" + urllib.parse.urlencode({"query": text})
    return json.loads(get(prometheus_port, path)[1])


service_port, prometheus_port = free_port(), free_port()
(scratch / "prometheus.yml").write_text(
    f"""
global: {{scrape_interval: 1s}}
scrape_configs:
  - job_name: kf-serve
    static_configs: [{{targets: ["127.0.0.1:{service_port}"]}}]
"""
)
programs = []
try:
    programs.append(
        subprocess.Popen(
            [kf_serve],
            env={
                "PATH": os.environ["PATH"],
                "IMGPROXY_BIND": f"127.0.0.1:{service_port}",
                "IMGPROXY_LOCAL_FILESYSTEM_ROOT": str(pathlib.Path(pictures).resolve()),
                "IMGPROXY_LOG_LEVEL": "error",
                # Neither is there, but they have metrics.
                "IMGPROXY_OPEN_TELEMETRY_ENABLE": "1",
                "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{free_port()}",
                "KF_REDIS_URL": f"redis://127.0.0.1:{free_port()}",
                "KF_CACHE_PATH": str(scratch / "cache"),
            },
        )
    )
    wait("the start of the service", lambda: get(service_port, "/health")[0] == 200)
    programs.append(
        subprocess.Popen(
            [
                prometheus,
                f"--config.file={scratch}/prometheus.yml",
                f"--storage.tsdb.path={scratch}/data",
                f"--web.listen-address=127.0.0.1:{prometheus_port}",
                "--log.level=error",
            ]
        )
    )
    width = 0

    def ask():
        # New images and known ones, and one that is not there.
        global width
        width += 1
        for path in (f"w:{width % 500 + 1}", "w:20"):
            get(service_port, f"/unsafe/{path}/plain/local:///grid.png")
        get(service_port, "/unsafe/w:5/plain/local:///none.png")

    def is_read():
        ask()
        found = query('count_over_time(up{job="kf-serve"}[1m])')["data"]["result"]
        return bool(found) and float(found[0]["value"][1]) >= 8

    wait("eight readings by Prometheus", is_read)
    if query("up")["data"]["result"][0]["value"][1] != "1":
        sys.exit("Prometheus cannot read the metrics")
    problems = []
    metadata = json.loads(get(prometheus_port, "/api/v1/targets/metadata")[1])["data"]
    found = {(entry["metric"], entry["type"]) for entry in metadata}
    for name, kind in sorted(found ^ documented):
        place = "OPERATION.md" if (name, kind) in documented else "Prometheus"
        problems.append(f"only {place} has the {kind} {name}")
    for entry in metadata:
        if not entry["help"]:
            problems.append(f"{entry['metric']} has no description")
    for panel in board["panels"]:
        for target in panel["targets"]:
            text = target["expr"].replace("$__rate_interval", "30s")
            answer = query(text)
            if answer["status"] != "success":
                problems.append(f"{panel['title']}: {answer.get('error')}: {text}")
            elif not answer["data"]["result"] and "kf_clients_left" not in text and (
                "kf_source_" not in text
            ):
                # Without sources on the web, and without clients that leave, there are none.
                problems.append(f"{panel['title']}: no result: {text}")
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(1)
    print(f"Prometheus finds the {len(documented)} metrics of OPERATION.md")
    print(f"{sum(len(panel['targets']) for panel in board['panels'])} queries have results")
finally:
    for program in reversed(programs):
        program.terminate()
        program.wait(30)
