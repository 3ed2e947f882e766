"""How much uploads may keep: of each session one job, of some files and megabytes.

Shiny takes as many entries and bytes as are sent, under any name, and trusts that
each file is sent once. A later Shiny may go about this differently: it is left alone
then.
"""

import secrets
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException

MAX_UPLOAD = 8_000_000
MAX_ENTRIES = 100
TOO_LONG = f"≤ {MAX_UPLOAD // 1_000_000} MB"


def bound_uploads() -> None:
    """Bound the uploads of every session of this process; once is enough."""
    with suppress(ImportError, AttributeError):
        _replace_manager()


def _replace_manager() -> None:
    from shiny._fileupload import FileUploadManager, FileUploadOperation
    from shiny.session import _session

    class Job(FileUploadOperation):
        """Files that come one after the other, each once."""

        _room = MAX_UPLOAD

        def file_begin(self) -> None:
            if self._current_file_obj is not None:
                raise HTTPException(409)
            if self._n_uploaded == len(self._file_infos):
                raise HTTPException(400)
            # What a browser calls a file may be no name for one here.
            path = Path(self._dir, str(self._n_uploaded))
            self._file_infos[self._n_uploaded]["datapath"] = str(path)
            self._current_file_obj = path.open("ab")

        def write_chunk(self, chunk: bytes) -> None:
            self._room -= len(chunk)
            if self._room < 0:
                raise HTTPException(413, TOO_LONG)
            super().write_chunk(chunk)

    class Manager(FileUploadManager):
        """The uploads of a session, of which the newest job counts."""

        def create_upload_operation(self, file_infos: list[Any]) -> str:
            if len(file_infos) > MAX_ENTRIES:
                raise ValueError(f"≤ {MAX_ENTRIES}")
            self._operations.clear()
            _empty(self._basedir)
            job = secrets.token_hex(12)
            folder = tempfile.mkdtemp(dir=self._basedir)
            self._operations[job] = Job(self, job, folder, file_infos)
            return job

    vars(_session)["FileUploadManager"] = Manager


def _empty(folder: str) -> None:
    for inner in Path(folder).iterdir():
        shutil.rmtree(inner)
