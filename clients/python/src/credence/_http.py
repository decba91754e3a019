"""A running consumer, asked over HTTP."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Iterator

import pyarrow as pa

from credence._frames import Library, from_arrow, to_arrow
from credence._kafka import ARROW
from credence._reading import Posterior, from_json

TRIES = 5
"""Of a request that is asked to come again later."""


class RequestError(Exception):
    """The consumer refused a request; the message says what was wrong and what to do."""

    def __init__(self, status: int, code: str, message: str):
        super().__init__(message)
        self.status, self.code = status, code


class Client:
    """Asks any process of a consumer group about any key.

    Parameters
    ----------
    url
        ``http://host:port`` of a consumer (``http.listen``).
    token
        What ``http.token_file`` holds, if the consumer asks for one.
    timeout
        Seconds that an answer may take.

    Raises
    ------
    ValueError
        The URL is none of HTTP.
    RequestError
        Of every method: the consumer refused the request.
    ConnectionError
        Of every method: nobody answers there.
    """

    def __init__(self, url: str, *, token: str | None = None, timeout: float = 30):
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"url {url!r} does not begin with http:// or https://")
        self._base, self._timeout = url.rstrip("/"), timeout
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Every key that has a model, in byte order."""
        after: str | None = ""
        while after is not None:
            page = self._json("/v1/models", fields="key", limit=10000, prefix=prefix, after=after)
            for entry in page["models"]:
                yield entry["key"]
            after = page["next"]

    def get(self, key: str) -> Posterior:
        """The posterior after the last shard that a checkpoint covers, with all its variables."""
        return from_json(self._json("/v1/model", key=key))

    def history(self, key: str, *, limit: int = 1000, library: Library = "pandas") -> Any:
        """Posteriors of past shards, one row per shard and variable, as far as this process remembers them."""
        return from_arrow(self._arrow("/v1/model/history", key=key, limit=limit).replace_schema_metadata(None), library)

    def about(self, key: str) -> dict[str, Any]:
        """How the posterior was computed, the columns that a prediction takes, and the prior."""
        return self._json("/v1/model/about", key=key)

    def calibration(self, key: str) -> dict[str, Any]:
        """How well each shard was predicted before it was absorbed."""
        return self._json("/v1/model/calibration", key=key)

    def predict(self, data: Any, key: str, *, library: Library = "pandas") -> Any:
        """Predict rows by the key's model: one row of ``mean``, ``sd`` and quantiles for each, of a new
        observation, and of its expectation (``epred_sd``, ``epred_q2.5``, ``epred_q97.5``).

        ``data`` is whatever ``send`` takes, with the columns that ``about(key)["inputs"]`` lists; more of
        them do no harm. A missing value, an unknown level or a value whose prediction is beyond the range of
        floats is a RequestError that names row and column.
        """
        sink = pa.BufferOutputStream()
        table = to_arrow(data)
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        answer = self._ask("/v1/model/predict", {"key": key}, ARROW, sink.getvalue().to_pybytes())
        return from_arrow(pa.ipc.open_stream(answer).read_all().replace_schema_metadata(None), library)

    def forecast(self, horizon: int, key: str, *, library: Library = "pandas") -> Any:
        """Predict the next steps of a kind whose rows are steps in time, such as dlm."""
        body = json.dumps({"horizon": horizon}).encode()
        answer = self._ask("/v1/model/predict", {"key": key}, ARROW, body, "application/json")
        return from_arrow(pa.ipc.open_stream(answer).read_all().replace_schema_metadata(None), library)

    def _json(self, path: str, **query: Any) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._ask(path, query, "application/json"))
        return answer

    def _arrow(self, path: str, **query: Any) -> pa.Table:
        return pa.ipc.open_stream(self._ask(path, query, ARROW)).read_all()

    def _ask(self, path: str, query: dict[str, Any], accept: str, body: bytes | None = None, sent: str = ARROW) -> bytes:
        url = f"{self._base}{path}?{urllib.parse.urlencode({k: v for k, v in query.items() if v != ''})}"
        headers = {**self._headers, "Accept": accept} | ({"Content-Type": sent} if body is not None else {})
        for attempt in range(1, TRIES + 1):
            try:
                with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=self._timeout) as answer:
                    return bytes(answer.read())
            except urllib.error.HTTPError as error:
                text, wait = error.read(), error.headers.get("Retry-After")
                if wait is None or attempt == TRIES:
                    raise _refused(error.code, text) from None
                time.sleep(min(float(wait), self._timeout))
            except OSError as error:  # HTTPError is one, and comes first
                why = getattr(error, "reason", error)
                if isinstance(why, TimeoutError):
                    raise ConnectionError(f"no answer from {self._base} within {self._timeout} s: ask for less at once, or raise timeout") from None
                raise ConnectionError(f"no answer from {self._base}: {why}: does a consumer run with http.listen there?") from None
        raise AssertionError("unreachable")


def _refused(status: int, text: bytes) -> RequestError:
    try:
        error = json.loads(text)["error"]
        return RequestError(status, error["code"], error["message"])
    except (ValueError, KeyError, TypeError):
        return RequestError(status, str(status), text.decode(errors="replace")[:500] or f"status {status}")
