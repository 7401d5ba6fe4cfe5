"""Reads objects of emulators through the image service: S3 with roles, also those of platforms, whose
keys expire, and Google Cloud Storage. Keeps results in that S3, from which another service starts.

Usage: stores.py KF_SERVE PICTURE

The emulator of S3 checks every signature, and which actions a user or a role may do. It does so
only for keys of unreserved characters, also with the requests of its own client.
"""

import datetime
import http.client
import http.server
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

kf_serve, picture = sys.argv[1], pathlib.Path(sys.argv[2]).read_bytes()
REGION = "eu-west-1"
problems = []


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit(f"nothing listens at port {port}")


def request(port, path, method="GET", body=None, fields={}):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body, fields)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def start(*command, **variables):
    programs.append(
        subprocess.Popen(
            command,
            env={"PATH": os.environ["PATH"], **variables},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    )


def serve(variables):
    """Starts a service; returns its port."""
    port = free_port()
    start(
        kf_serve,
        IMGPROXY_BIND=f"127.0.0.1:{port}",
        IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES="1",
        KF_ISOLATE="0",
        **variables,
    )
    wait_for(port)
    return port


def served(variables, expected):
    """Starts a service, and compares the statuses of paths with the expected ones."""
    port = serve(variables)
    for path, status in expected.items():
        found, body = request(port, f"/_/w:50/plain/{path}")
        print(f"{path}: {found}")
        if found != status or (status == 200 and not body.startswith(b"\x89PNG")):
            problems.append(f"{path}: {found} {body[:200]!r}, not {status}")


class Platform(http.server.BaseHTTPRequestHandler):
    """Gives keys as a container, a virtual machine, or the token service for a workload does.

    The first keys of each platform expire after four seconds. When it is asked again, their role
    loses its rights, and the new keys are those of another role.
    """

    TOKEN = "token of the platform"
    # The functions that make keys of a role, as an object and from the form of a service, and the
    # one that removes the rights of a role.
    assume = forward = forbid = None
    questions = {"container": 0, "machine": 0, "workload": 0}

    def do_GET(self):
        roles = "/latest/meta-data/iam/security-credentials/"
        if self.path == "/container" and self.headers["Authorization"] == self.TOKEN:
            self.give("container")
        elif self.headers["X-aws-ec2-metadata-token"] != self.TOKEN:
            self.answer(401, b"")
        elif self.path == roles:
            self.answer(200, b"name of the role\n")
        elif self.path == roles + "name%20of%20the%20role":
            self.give("machine")
        else:
            self.answer(404, b"")

    def do_PUT(self):
        is_known = self.path == "/latest/api/token"
        self.answer(200 if is_known else 404, self.TOKEN.encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = dict(urllib.parse.parse_qsl(body))
        if form.get("WebIdentityToken") != self.TOKEN or form.get("RoleArn") != "arn:workload":
            return self.answer(403, b"")
        role, expires = self.next("workload")
        status, body = Platform.forward({**form, "RoleArn": role})
        if expires:
            text = f"<Expiration>{expires}</Expiration>"
            body = re.sub("<Expiration>.*</Expiration>", text, body.decode()).encode()
        self.answer(status, body)

    def give(self, name):
        role, expires = self.next(name)
        keys = Platform.assume(role)
        found = {"AccessKeyId": keys["AccessKeyId"], "SecretAccessKey": keys["SecretAccessKey"],
                 "Token": keys["SessionToken"],
                 "Expiration": expires or keys["Expiration"].strftime("%Y-%m-%dT%H:%M:%SZ")}
        self.answer(200, json.dumps(found).encode())

    def next(self, name):
        """The role whose keys are next, and when they expire unless as usual."""
        Platform.questions[name] += 1
        if self.questions[name] > 1:
            Platform.forbid(f"{name}-old")
            return f"{ROLES}{name}-new", None
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=4)
        return f"{ROLES}{name}-old", end.strftime("%Y-%m-%dT%H:%M:%SZ")

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ROLES = "arn:aws:iam::123456789012:role/"
log = tempfile.TemporaryFile("w+")
programs = []
try:
    # --- S3 --------------------------------------------------------------------------------------
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    # Until its authentication is reset, it checks nothing, so that users and roles can be made.
    start(sys.executable, "-c", f"from moto.server import main; main(['-p', '{port}'])")
    wait_for(port)

    def client(name, access="any", secret="any"):
        return boto3.client(
            name,
            endpoint_url=address,
            region_name=REGION,
            aws_access_key_id=access,
            aws_secret_access_key=secret,
        )

    s3, iam = client("s3"), client("iam")
    s3.create_bucket(Bucket="photos", CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.create_bucket(Bucket="results", CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.put_object(Bucket="photos", Key="a/b.png", Body=picture)

    def policy(*statements):
        return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})

    def allow(action):
        return {"Effect": "Allow", "Action": action, "Resource": "*"}

    trust = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}

    def make_role(name):
        role = iam.create_role(RoleName=name, AssumeRolePolicyDocument=policy(trust))["Role"]
        iam.put_role_policy(
            RoleName=name, PolicyName="read", PolicyDocument=policy(allow("s3:*"))
        )
        return role

    role = make_role("reader")
    for platform in Platform.questions:
        make_role(f"{platform}-old")
        make_role(f"{platform}-new")

    def user(name, action):
        iam.create_user(UserName=name)
        iam.put_user_policy(UserName=name, PolicyName="one", PolicyDocument=policy(allow(action)))
        key = iam.create_access_key(UserName=name)["AccessKey"]
        return {
            "AWS_ACCESS_KEY_ID": key["AccessKeyId"],
            "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"],
        }

    reader, assumer = user("reader", "s3:*"), user("assumer", "sts:AssumeRole")
    master = list(user("master", "*").values())
    request(port, "/moto-api/reset-auth", "POST", "0")
    usual = {
        "IMGPROXY_USE_S3": "1",
        "IMGPROXY_S3_REGION": REGION,
        "IMGPROXY_S3_ENDPOINT": address,
        "AWS_ENDPOINT_URL_STS": address,
    }
    image, absent = "s3://photos/a/b.png", "s3://photos/none.png"
    served({**usual, **reader}, {image: 200, absent: 404})
    served({**usual, **reader, "AWS_SECRET_ACCESS_KEY": "wrong"}, {image: 404})
    # The user itself may not read, the role may.
    served({**usual, **assumer}, {image: 404})
    served({**usual, **assumer, "IMGPROXY_S3_ASSUME_ROLE_ARN": role["Arn"]}, {image: 200})

    # --- Keys of platforms -----------------------------------------------------------------------
    def forward(form):
        """Lets the emulator answer a question without a signature, which it does not take."""
        body = urllib.parse.urlencode(form)
        fields = {"Content-Type": "application/x-www-form-urlencoded"}
        question = AWSRequest("POST", f"{address}/", fields, body)
        SigV4Auth(Credentials(*master), "sts", REGION).add_auth(question)
        return request(port, "/", "POST", body, dict(question.headers))

    Platform.assume = lambda arn: client("sts", *master).assume_role(
        RoleArn=arn, RoleSessionName="platform"
    )["Credentials"]
    Platform.forward = forward
    Platform.forbid = lambda name: client("iam", *master).delete_role_policy(
        RoleName=name, PolicyName="read"
    )
    platforms = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Platform)
    threading.Thread(target=platforms.serve_forever, daemon=True).start()
    host = f"http://127.0.0.1:{platforms.server_port}"
    with tempfile.NamedTemporaryFile("w") as token:
        token.write(f"{Platform.TOKEN}\n")
        token.flush()
        ports = {
            "container": serve({
                **usual,
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{host}/container",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": token.name,
            }),
            "machine": serve({**usual, "AWS_EC2_METADATA_SERVICE_ENDPOINT": host}),
            "workload": serve({
                **usual,
                "AWS_ENDPOINT_URL_STS": host,
                "AWS_ROLE_ARN": "arn:workload",
                "AWS_WEB_IDENTITY_TOKEN_FILE": token.name,
            }),
        }
        objects, count = client("s3", *master), 0
        deadline = time.monotonic() + 60
        # Each object is new, so that no cache has it.
        while min(Platform.questions.values()) < 2 and time.monotonic() < deadline:
            count += 1
            objects.put_object(Bucket="photos", Key=f"new/{count}.png", Body=picture)
            for name, own in ports.items():
                found, body = request(own, f"/_/w:50/plain/s3://photos/new/{count}.png")
                if found != 200:
                    problems.append(f"keys of a {name}: {found} {body[:200]!r}, not 200")
        print(f"questions of {count} objects: {Platform.questions}")
        if set(Platform.questions.values()) != {2}:
            problems.append(f"keys of platforms: {Platform.questions}, not 2 each")
    platforms.shutdown()

    # --- Results ---------------------------------------------------------------------------------
    store = client("s3", reader["AWS_ACCESS_KEY_ID"], reader["AWS_SECRET_ACCESS_KEY"])
    for layer in ["none", "disk"]:
        own = free_port()
        with tempfile.TemporaryDirectory() as folder:
            start(
                kf_serve,
                IMGPROXY_BIND=f"127.0.0.1:{own}",
                IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES="1",
                IMGPROXY_ENABLE_DEBUG_HEADERS="1",
                KF_ISOLATE="0",
                KF_CACHE_PATH=folder,
                KF_RESULT_STORE="s3://results/fleet",
                KF_RESULT_STORE_TIMEOUT="20",
                **usual,
                **reader,
            )
            wait_for(own)
            connection = http.client.HTTPConnection("127.0.0.1", own, timeout=60)
            connection.request("GET", f"/_/w:50/plain/{image}")
            response = connection.getresponse()
            found = response.status, response.headers["x-cache"]
            response.read()
            connection.close()
            print(f"a result that an empty machine finds: {found}")
            if found != (200, layer):
                problems.append(f"a result: {found}, not 200 {layer}")
            deadline = time.monotonic() + 30
            while "Contents" not in store.list_objects_v2(Bucket="results"):
                if time.monotonic() > deadline:
                    sys.exit("no result is stored")
                time.sleep(0.1)
            ended = programs.pop()
            ended.kill()
            ended.wait(30)

    # --- Google ----------------------------------------------------------------------------------
    port = free_port()
    start(
        sys.executable,
        "-c",
        "from gcp_storage_emulator.server import create_server as create;"
        f"create('127.0.0.1', {port}, in_memory=True, default_bucket='photos').run()",
    )
    wait_for(port)
    name = "/upload/storage/v1/b/photos/o?uploadType=media&name=a%2Fb.png"
    status, _ = request(port, name, "POST", picture, {"Content-Type": "image/png"})
    if status != 200:
        problems.append(f"the emulator of Google takes no object: {status}")
    served(
        {"IMGPROXY_USE_GCS": "1", "IMGPROXY_GCS_ENDPOINT": f"http://127.0.0.1:{port}"},
        {"gs://photos/a/b.png": 200, "gs://photos/none.png": 404},
    )
finally:
    for program in reversed(programs):
        program.terminate()
        program.wait(30)
for problem in problems:
    print(problem)
if problems:
    log.seek(0)
    print(log.read()[-4000:])
    sys.exit(1)
