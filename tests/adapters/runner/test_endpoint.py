from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import verifiers.v1 as vf

from curriculum_env.adapters.verifiers.runner.endpoint import require_endpoint
from curriculum_env.errors import ConfigError
from curriculum_env.testing.policy import completion

Answer = Callable[[str], tuple[int, str]]
MODELS = json.dumps({"object": "list", "data": [{"id": "listed", "object": "model"}]})


@contextmanager
def endpoint(answer: Answer) -> Iterator[vf.EvalClientConfig]:
    """A server that answers a path with a status and a body."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            status, body = answer(self.path)
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            url = f"http://127.0.0.1:{server.server_port}/v1"
            yield vf.EvalClientConfig(base_url=url, api_key_var="NO_SUCH_KEY")
        finally:
            server.shutdown()
            thread.join()


def refused(answer: Answer, model: str = "listed") -> str:
    with endpoint(answer) as client, pytest.raises(ConfigError) as error:
        require_endpoint(client, model)
    return str(error.value)


def test_a_listed_model_is_accepted_without_a_completion() -> None:
    asked: list[str] = []

    def answer(path: str) -> tuple[int, str]:
        asked.append(path)
        return 200, MODELS

    with endpoint(answer) as client:
        require_endpoint(client, "listed")
    assert asked == ["/v1/models"]


@pytest.mark.parametrize("models", [(404, "{}"), (200, MODELS), (500, "broken"), (200, "<html>")])
def test_one_completion_decides_where_the_list_does_not(models: tuple[int, str]) -> None:
    def serves(path: str) -> tuple[int, str]:
        return (200, completion("1")) if path.endswith("completions") else models

    with endpoint(serves) as client:
        require_endpoint(client, "unlisted")
    message = refused(
        lambda path: (404, "{}") if path.endswith("completions") else models, "unlisted"
    )
    assert "serves no chat completions for the model 'unlisted'" in message


def test_a_server_that_is_merely_busy_is_accepted() -> None:
    with endpoint(lambda path: (429, "{}")) as client:
        require_endpoint(client, "listed")


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_names_the_variable(status: int) -> None:
    assert "NO_SUCH_KEY" in refused(lambda path: (status, "{}"))


def test_nobody_there() -> None:
    client = vf.EvalClientConfig(base_url="http://127.0.0.1:9/v1", api_key_var="NO_SUCH_KEY")
    with pytest.raises(ConfigError, match=r"no server answers at http://127.0.0.1:9/v1 \(.*refuse"):
        require_endpoint(client, "listed")


@pytest.mark.parametrize(
    "url", ["http://[::1", "http://h:99999", "nonsense", "ftp://127.0.0.1/v1", "http://", ""]
)
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="no URL of an endpoint"):
        require_endpoint(vf.EvalClientConfig.model_construct(base_url=url), "model")
