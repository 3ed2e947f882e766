"""Read uploaded matrices, and keep nothing of the files."""

import tempfile
from pathlib import Path
from typing import Any

from attnviz.core.errors import SettingError
from attnviz.example.own import MAX_BYTES, Found, read_all

MAX_FILES = 12
# How Shiny names the folder in which it keeps the uploads of a session.
_FOLDER = "fileupload-"


def read_uploads(sent: Any) -> tuple[Found, ...]:  # noqa: ANN401 - whatever a browser sent
    """Read uploaded matrices, and delete every file.

    Parameters
    ----------
    sent : Any
        As `take_uploads`.

    Returns
    -------
    readings : tuple of Found
        As `read_all`.

    Raises
    ------
    SettingError
        As `take_uploads`, or if one cannot be read.
    """
    return read_all(take_uploads(sent))


def take_uploads(sent: Any) -> list[tuple[bytes, str]]:  # noqa: ANN401 - whatever a browser sent
    """Take what is in uploaded files, and delete every one of them.

    Parameters
    ----------
    sent : Any
        Value of a file input: for each file, its name and where it lies. It is written
        by the server, but a browser can send one too.

    Returns
    -------
    contents : list of (bytes, str)
        What is in each, and its name, which may say what matrix is in it.

    Raises
    ------
    SettingError
        If there are too many, or one is no upload.
    """
    infos = sent if isinstance(sent, list | tuple) else []
    found = [_upload(info) for info in infos]
    paths = [path for path in found if path is not None]
    try:
        if len(found) > MAX_FILES:
            raise SettingError("own_files", got=len(found), most=MAX_FILES)
        if len(paths) < len(found):
            raise SettingError("own_upload")
        return [
            (_content(path), Path(str(info.get("name"))).stem)
            for info, path in zip(infos, paths, strict=True)
        ]
    finally:
        for path in paths:
            path.unlink(missing_ok=True)


def _upload(info: Any) -> Path | None:  # noqa: ANN401 - whatever a browser sent
    """Find an uploaded file, and nothing else that a browser may have named."""
    try:
        path = Path(info["datapath"]).resolve()
        folder = path.parent.parent
        is_upload = (
            folder.parent == Path(tempfile.gettempdir()).resolve()
            and folder.name.startswith(_FOLDER)
            and path.is_file()
        )
    except (TypeError, KeyError, ValueError, OSError):
        return None
    return path if is_upload else None


def _content(path: Path) -> bytes:
    """Read a file, but not much more of it than can be used."""
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)
