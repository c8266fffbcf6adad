"""A bootstrap for the tests of the sandbox: does what its event, or INIT in its environment, says."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time


def main() -> None:
    api = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])

    def post(path: str, body: bytes) -> None:
        api.request("POST", f"/2018-06-01/runtime/{path}", body)
        api.getresponse().read()

    match os.environ.get("INIT"):
        case "crash":
            print("no luck today", flush=True)
            sys.exit(3)
        case "error":
            post("init/error", b'{"errorType":"Config","errorMessage":"TABLE is missing"}')
            sys.exit(1)
        case "hang":
            time.sleep(60)
    print("started", flush=True)
    while True:
        api.request("GET", "/2018-06-01/runtime/invocation/next")
        response = api.getresponse()
        event, request_id = json.loads(response.read()), response.headers["Lambda-Runtime-Aws-Request-Id"]
        match event["do"]:
            case "echo":
                print("echoing", event.get("text", ""), flush=True)
                answer = {
                    "pid": os.getpid(),
                    "deadline": int(response.headers["Lambda-Runtime-Deadline-Ms"]),
                    "arn": response.headers["Lambda-Runtime-Invoked-Function-Arn"],
                    "text": event.get("text"),
                }
                post(f"invocation/{request_id}/response", json.dumps(answer).encode())
            case "error":
                post(f"invocation/{request_id}/error", b'{"errorType":"Oops","errorMessage":"on purpose"}')
            case "flood":
                sys.stdout.write("x" * event["bytes"])
                sys.stdout.flush()
                post(f"invocation/{request_id}/response", b"{}")
            case "exit":
                print("leaving", flush=True)
                os._exit(event["code"])
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "child":  # one that outlives its parent and holds its output open
                child = subprocess.Popen(["sleep", "60"])
                post(f"invocation/{request_id}/response", json.dumps({"child": child.pid}).encode())
            case "hang":
                child = subprocess.Popen(["sleep", "60"])
                print(child.pid, flush=True)
                time.sleep(60)


main()
