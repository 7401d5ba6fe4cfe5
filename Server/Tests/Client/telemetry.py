#!/usr/bin/env python3
"""Reads with OpenTelemetry's own classes what the image service sends to a collector.

Usage: pip install -r requirements.txt && ./telemetry.py PATH-TO-KF-SERVE PICTURES

PICTURES is a folder with grid.png. Asks for images with and without `traceparent`, and compares the
spans and metrics with the requests. Ends with status 1 if one is wrong.
"""

import os
import queue
import re
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from run import fetch, free_port, wait

KINDS = {"/v1/traces": ExportTraceServiceRequest, "/v1/metrics": ExportMetricsServiceRequest}
PAGE = Path(__file__).resolve().parents[2] / "OPERATION.md"
sent = queue.Queue()
problems = []


class Collector(BaseHTTPRequestHandler):
    """Keeps the messages of the service."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers["Content-Type"] != "application/x-protobuf":
            problems.append(f"the type of a message: {self.headers['Content-Type']}")
        if self.headers["Authorization"] != "Bearer a b":
            problems.append(f"OTEL_EXPORTER_OTLP_HEADERS: {self.headers['Authorization']}")
        message = KINDS[self.path].FromString(body)
        # Fields with numbers that OpenTelemetry does not know would be lost without a word.
        if message.SerializeToString() != body:
            problems.append(f"{self.path}: the classes write other bytes than they have read")
        sent.put(message)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def compare(what, found, expected):
    if found != expected:
        problems.append(f"{what}: {found!r}, not {expected!r}")


def attributes(entries):
    return {entry.key: getattr(entry.value, entry.value.WhichOneof("value")) for entry in entries}


def check_frame(resource, scope):
    compare("the resource", attributes(resource.attributes), {"service.name": "images of a test"})
    compare("the scope", scope.name, "kf-serve")


def check_spans(messages, requests, begin, end):
    """Compares all spans with the requests: path, fields, status, and attributes of each."""
    spans = []
    for message in messages:
        for resource in message.resource_spans:
            for scope in resource.scope_spans:
                check_frame(resource.resource, scope.scope)
                spans += scope.spans
    compare("identifiers of spans", len({span.span_id for span in spans}), len(spans))
    for span in spans:
        compare("the sizes of identifiers", (len(span.trace_id), len(span.span_id)), (16, 8))
        if not begin <= span.start_time_unix_nano <= span.end_time_unix_nano <= end:
            problems.append(f"{span.name}: its times are not those of the test")
    # The others are parts of requests, and the question whether the service is ready.
    ids = (attributes(span.attributes).get("kf.request.id", "") for span in spans)
    whole = {name if name.startswith("request-") else None: span for name, span in zip(ids, spans)}
    compare("requests with spans", set(whole), {request["id"] for request in requests} | {None})
    for request in requests:
        span, path = whole.get(request["id"]), request["path"]
        if span is None:
            continue
        compare(f"{path}: name and kind", (span.name, span.kind), ("GET", Span.SPAN_KIND_SERVER))
        found = attributes(span.attributes)
        for name, value in request["attributes"].items():
            compare(f"{path}: {name}", found.get(name), value)
        code = Status.STATUS_CODE_ERROR if request["status"] >= 500 else Status.STATUS_CODE_UNSET
        compare(f"{path}: status", span.status.code, code)
        compare(f"{path}: message", bool(span.status.message), request["status"] >= 500)
        if request["trace"]:
            compare(f"{path}: trace", span.trace_id.hex(), request["trace"])
            compare(f"{path}: state", span.trace_state, "vendor=1")
        compare(f"{path}: parent", span.parent_span_id.hex(), request["parent"])
        parts = [part for part in spans if part.parent_span_id == span.span_id]
        if not request["parts"] <= {part.name for part in parts}:
            problems.append(f"{path}: the parts are only {sorted(part.name for part in parts)}")
        for part in parts:
            compare(f"{path}: {part.name}", part.kind, Span.SPAN_KIND_INTERNAL)
            compare(f"{path}: trace of {part.name}", part.trace_id, span.trace_id)
            if part.end_time_unix_nano > span.end_time_unix_nano:
                problems.append(f"{path}: {part.name} ends after the request")
        others = [other for other in spans if other.trace_id == span.trace_id]
        compare(f"{path}: spans of its trace", len(others), len(parts) + 1)


def unit(name):
    """The unit of a metric, which its name ends with, as UCUM writes it."""
    return next((unit for word, unit in {"seconds": "s", "bytes": "By"}.items() if word in name), "")


def check_metrics(message, statuses, begin, end):
    """Compares metrics with the list in OPERATION.md, and their values with the requests."""
    rows = re.findall(r"^\| `((?:kf|process)_\w+)` \| (\w+) \| ([^|]*)\|", PAGE.read_text(), re.M)
    listed = {name: (kind, set(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}
    found = {}
    for resource in message.resource_metrics:
        for scope in resource.scope_metrics:
            check_frame(resource.resource, scope.scope)
            for metric in scope.metrics:
                found[metric.name] = metric
    missing = {name for name in listed if not name.startswith(("kf_shared", "kf_source_cache"))}
    for name in sorted(missing - set(found) | set(found) - set(listed)):
        problems.append(f"only {'the collector' if name in found else 'OPERATION.md'} has {name}")
    for name, metric in found.items():
        kind, labels = listed.get(name, ("", set()))
        data = metric.WhichOneof("data")
        compare(f"{name}: kind", data, {"counter": "sum"}.get(kind, kind))
        compare(f"{name}: unit", metric.unit, unit(name))
        if not metric.description:
            problems.append(f"{name}: no description")
        values = getattr(metric, data)
        if data != "gauge":
            compare(
                f"{name}: temporality",
                values.aggregation_temporality,
                AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE,
            )
        if data == "sum":
            compare(f"{name}: only grows", values.is_monotonic, True)
        for point in values.data_points:
            compare(f"{name}: labels", set(attributes(point.attributes)), labels)
            if not begin <= point.start_time_unix_nano <= point.time_unix_nano <= end:
                problems.append(f"{name}: its times are not those of the test")
            if data == "histogram":
                compare(f"{name}: sum of counts", sum(point.bucket_counts), point.count)
                compare(f"{name}: counts", len(point.bucket_counts), len(point.explicit_bounds) + 1)
                compare(f"{name}: bounds", list(point.explicit_bounds), sorted(point.explicit_bounds))
    counts = {}
    for point in found["kf_requests_total"].sum.data_points:
        counts[attributes(point.attributes)["status"]] = point.as_double
    expected = {str(status): float(statuses.count(status)) for status in set(statuses)}
    compare("kf_requests_total", counts, expected)
    times = found["kf_request_duration_seconds"].histogram.data_points
    compare("kf_request_duration_seconds", [point.count for point in times], [len(statuses)])


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    collector = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    port, closed = free_port(), free_port()
    host = f"http://127.0.0.1:{port}"
    begin = time.time_ns()
    service = subprocess.Popen(
        [sys.argv[1]],
        env=os.environ
        | {
            "IMGPROXY_BIND": f"127.0.0.1:{port}",
            "IMGPROXY_LOCAL_FILESYSTEM_ROOT": str(Path(sys.argv[2]).resolve()),
            "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1",
            "IMGPROXY_LOG_LEVEL": "critical",
            "IMGPROXY_OPEN_TELEMETRY_ENABLE": "1",
            "IMGPROXY_OPEN_TELEMETRY_ENABLE_METRICS": "1",
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}",
            "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20a%20b",
            "OTEL_SERVICE_NAME": "images of a test",
            # The rest comes when the service stops.
            "OTEL_BSP_SCHEDULE_DELAY": "100",
        },
    )
    requests = []

    def ask(path, status, trace="", parent="", flags="01", parts=(), **expected):
        fields = {"X-Request-ID": f"request-{len(requests)}"}
        if trace:
            fields |= {"traceparent": f"00-{trace}-{parent}-{flags}", "tracestate": "vendor=1"}
        found = fetch(urllib.request.Request(host + path, headers=fields))[0]
        compare(f"{path}: status", found, status)
        expected = {name.replace("__", "."): value for name, value in expected.items()}
        expected |= {
            "http.request.method": "GET",
            "http.response.status_code": status,
            # Sources may have secrets, and have an attribute of their own.
            "url.path": path.split("/plain/")[0],
            "kf.source": path.split("/plain/")[1],
            "client.address": "127.0.0.1",
            "error.type": str(status) if status >= 400 else None,
        }
        requests.append(
            {"id": fields["X-Request-ID"], "path": path, "status": status, "trace": trace,
             "parent": parent, "is_sent": flags == "01", "parts": set(parts), "attributes": expected}
        )

    image = "plain/local:///grid.png"
    try:
        wait(host, service)
        ask(f"/_/w:50/{image}", 200, parts=["processing"], kf__cache__layer="none")
        ask(f"/_/w:50/{image}", 200, "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331",
            kf__cache__layer="memory")
        ask("/_/w:50/plain/local:///none.png", 404, "1" * 32, "2" * 16)
        ask(f"/_/w:50/plain/http://127.0.0.1:{closed}/a.png", 502, "3" * 32, "4" * 16)
        # The client has decided against it.
        ask(f"/_/w:51/{image}", 200, "5" * 32, "6" * 16, flags="00")
    finally:
        service.terminate()
        service.wait(timeout=30)
    end = time.time_ns()
    collector.shutdown()
    messages = [sent.get() for _ in range(sent.qsize())]
    traces = [message for message in messages if isinstance(message, ExportTraceServiceRequest)]
    metrics = [message for message in messages if isinstance(message, ExportMetricsServiceRequest)]
    check_spans(traces, [request for request in requests if request["is_sent"]], begin, end)
    if metrics:
        # The service was asked whether it is ready, once with success.
        statuses = [200] + [request["status"] for request in requests]
        check_metrics(metrics[-1], statuses, begin, end)
    else:
        problems.append("no metrics came")
    for text in problems:
        print(text)
    print(f"{len(requests)} requests with spans and metrics, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
