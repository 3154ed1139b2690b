"""The API fuzzed from its own OpenAPI description: whatever is asked, the server makes no mistake.

Every operation is fuzzed. So that this takes seconds, jobs are begun but wait for a turn that never comes
(`jobs_at_once=0`; tests/apps/web/test_jobs.py runs every kind).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from schemathesis import Case
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.apps.web.serving import description, ok, serving

AS_DESCRIBED = [content_type_conformance, response_schema_conformance, status_code_conformance]
EXAMPLES = 6
"""Of each operation."""

SCHEMA = schemathesis.openapi.from_dict(description())
OPERATIONS = {
    f"{operation.method.upper()} {operation.path}": operation
    for operation in (found.ok() for found in SCHEMA.get_all_operations() if isinstance(found, Ok))
}


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with serving(tmp_path_factory.mktemp("fuzzed"), jobs_at_once=0) as client:
        yield client


@pytest.fixture
def there(fuzzed: TestClient) -> dict[str, str]:
    """Something of each kind, so that not every request ends at a name that is not there."""
    agent = fuzzed.put("/api/agents", params={"name": "fuzz", "file": "my_player3.py"}, content=b"pass")
    contest = fuzzed.post("/api/tournaments", json={"players": ["random", "greedy"], "size": 2, "games": 2})
    job = fuzzed.post(f"/api/tournaments/{ok(contest)['id']}/run")
    return {
        "agent": ok(agent)["id"],
        "job": job.json().get("id", "x"),
        "tournament": ok(contest)["id"],
        "number": "0",
    }


# Not `SCHEMA.parametrize()`: the reports of its tests, failures too, get lost under pytest-xdist's --dist loadgroup.
@pytest.mark.parametrize("label", sorted(OPERATIONS))
def test_every_answer_is_as_described(fuzzed: TestClient, there: dict[str, str], label: str) -> None:
    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(OPERATIONS[label].as_strategy())
    def ask(case: Case[Any]) -> None:
        for name, value in case.path_parameters.items():
            if name in there and len(str(value)) % 4:  # three of four: the others look for what is not there
                case.path_parameters[name] = there[name]
        wire = requests.Request(**case.as_transport_kwargs(base_url="http://localhost")).prepare()
        headers = {
            name: value for name, value in wire.headers.items() if name.lower() not in ("content-length", "host")
        }
        answer = fuzzed.request(str(wire.method), str(wire.url), headers=headers, content=wire.body)
        assert answer.status_code < 500, f"{case.as_curl_command()}\n{answer.text}"
        case.validate_response(answer, checks=AS_DESCRIBED)

    ask()


def test_every_operation_is_fuzzed() -> None:
    described = {f"{method.upper()} {path}" for path, item in SCHEMA.raw_schema["paths"].items() for method in item}
    assert set(OPERATIONS) == described
