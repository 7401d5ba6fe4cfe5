"""Reads objects of emulators through the image service: S3 with roles, and Google Cloud Storage.
Keeps results in that S3, from which another service starts.

Usage: stores.py KF_SERVE PICTURE

The emulator of S3 checks every signature, and which actions a user or a role may do. It does so
only for keys of unreserved characters, also with the requests of its own client.
"""

import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

import boto3

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


def served(variables, expected):
    """Starts a service, and compares the statuses of paths with the expected ones."""
    port = free_port()
    start(
        kf_serve,
        IMGPROXY_BIND=f"127.0.0.1:{port}",
        IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES="1",
        KF_ISOLATE="0",
        **variables,
    )
    wait_for(port)
    for path, status in expected.items():
        found, body = request(port, f"/_/w:50/plain/{path}")
        print(f"{path}: {found}")
        if found != status or (status == 200 and not body.startswith(b"\x89PNG")):
            problems.append(f"{path}: {found} {body[:200]!r}, not {status}")


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
    role = iam.create_role(RoleName="reader", AssumeRolePolicyDocument=policy(trust))["Role"]
    iam.put_role_policy(
        RoleName="reader", PolicyName="read", PolicyDocument=policy(allow("s3:*"))
    )

    def user(name, action):
        iam.create_user(UserName=name)
        iam.put_user_policy(UserName=name, PolicyName="one", PolicyDocument=policy(allow(action)))
        key = iam.create_access_key(UserName=name)["AccessKey"]
        return {
            "AWS_ACCESS_KEY_ID": key["AccessKeyId"],
            "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"],
        }

    reader, assumer = user("reader", "s3:*"), user("assumer", "sts:AssumeRole")
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
