"""What a hosting service is given: the app, its packages, and no tests."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("app.py", "requirements.txt", "attnviz", "www")
# What checks leave behind.
LEFTOVERS = (".mypy_cache/3.11/a.json", ".hypothesis/a", ".coverage")
README = (ROOT / "README.md").read_text("utf-8")
OPTIONS = re.findall(r"-x '([^']*)'", README)
[PYTHON] = re.findall(r"echo '(.*)' > .python-version", README)
# A proxy that nothing listens on: whoever asks the network gets no answer.
OFFLINE = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}


def copy_into(folder, *names):
    for name in names:
        source = ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / name)


def write_manifest(folder, *options):
    """Run the command of the README, without a network."""
    command = [Path(sys.executable).parent / "rsconnect", "write-manifest", "shiny"]
    return subprocess.run(
        [*command, *options, str(folder)],
        env={"PATH": str(Path(sys.executable).parent), "HOME": str(folder), **OFFLINE},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def manifest(tmp_path):
    copy_into(tmp_path, *PARTS, "tests", ".ruff.toml")
    for name in LEFTOVERS:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / ".python-version").write_text(f"{PYTHON}\n")
    done = write_manifest(tmp_path, *(f"-x{pattern}" for pattern in OPTIONS))
    assert done.returncode == 0, done.stderr
    return json.loads((tmp_path / "manifest.json").read_text("utf-8"))


def test_the_manifest_names_a_shiny_app_and_where_it_starts(manifest):
    assert manifest["metadata"]["appmode"] == "python-shiny"
    assert manifest["metadata"]["entrypoint"] == "app"
    assert manifest["python"]["package_manager"]["package_file"] == "requirements.txt"


def test_the_manifest_says_which_python_the_app_needs(manifest):
    assert manifest["environment"]["python"]["requires"] == PYTHON == ">=3.11"


def test_the_manifest_lists_the_app_and_no_test(manifest):
    files = manifest["files"].keys()
    assert {"app.py", "requirements.txt", "www/shell/theme.css"} <= files
    assert "attnviz/text/locales/zh/frame.json" in files
    assert [name for name in files if name.startswith(("tests/", "."))] == []
    assert [name for name in files if "cache" in name] == []


def test_without_requirements_there_is_no_manifest(tmp_path):
    copy_into(tmp_path, "app.py", "attnviz")
    assert write_manifest(tmp_path).returncode != 0
