"""Start an app as its users would, and read what its process costs."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).parents[2]
APP = "app.py"
EMPTY = "tests.benchmarks.empty_app:app"
IDIOMATIC = "tests.benchmarks.idiomatic_app:app"
WITH_DIGITS = "tests.benchmarks.idiomatic_app:with_digits"
# Both choose slower kernels than the machine has.
UNSET = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
PATIENCE = 60
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Server:
    """A running app.

    Attributes
    ----------
    url : str
        Where it answers.
    pid : int
        Its process.
    ready : float
        Seconds from the command to the first answered request.
    """

    url: str
    pid: int
    ready: float

    def cpu(self) -> float:
        """Read the processor seconds that the process has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def resident(self) -> float:
        """Read the resident memory of the process in MB."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        raise ValueError("resident: the process has no VmRSS")


@contextmanager
def served(app: str) -> Iterator[Server]:
    """Run an app with ``shiny run`` until the block ends.

    Parameters
    ----------
    app : str
        File or module of the app, from the top of the project.

    Yields
    ------
    server : Server
        The app, ready to answer.
    """
    port = _free_port()
    url = f"http://127.0.0.1:{port}/"
    environment = {key: text for key, text in os.environ.items() if key not in UNSET}
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "shiny", "run", "--port", str(port), app],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(url, process)
        yield Server(url, process.pid, time.perf_counter() - started)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the app ended with code {process.returncode}")
        try:
            with urlopen(url) as response:
                response.read()
        except URLError:
            time.sleep(0.01)
        else:
            return
    raise TimeoutError("the app did not answer")
