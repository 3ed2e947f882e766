"""Without a server the browser tests fail; they are never skipped."""

import pytest

from tests.e2e.running import served


def test_an_app_that_does_not_start_fails_with_what_it_said(tmp_path):
    broken = tmp_path / "broken.py"
    broken.write_text("raise RuntimeError('no such luck')\n")
    with (
        pytest.raises(pytest.fail.Exception, match="no such luck"),
        served(tmp_path / "log.txt", str(broken)),
    ):
        pytest.fail("a broken app was served")
