"""Uploads keep no more than their share, whatever a browser calls or sends."""

import tempfile
from pathlib import Path

import pytest

from attnviz.serving.uploads import MAX_ENTRIES, MAX_UPLOAD


def entries(*names):
    return [{"name": name, "size": 1, "type": "x"} for name in names]


def begin(conversation, infos):
    """Announce files; give where they are to be sent."""
    return f"/{conversation._question('uploadInit', [infos])['uploadUrl']}"


def kept():
    folders = Path(tempfile.gettempdir()).glob("fileupload-*")
    return [path for folder in folders for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    "name", ["a\0.c\0", f"a.{'y' * 300}", "a.\ud800", "../../a.csv", "/", "", 5, None]
)
def test_a_file_of_any_name_is_taken_and_lies_in_its_folder(client, converse, name):
    before = len(kept())
    where = begin(converse(), entries(name))
    assert client.post(where, content=b"1 0\n0 1").status_code == 200
    assert len(kept()) == before + 1


def test_each_file_is_sent_once(client, converse):
    where = begin(converse(), entries("a.csv", "b.csv"))
    codes = [client.post(where, content=b"1").status_code for _ in range(4)]
    assert codes == [200, 200, 400, 400]


def test_a_job_takes_so_many_bytes_over_all_its_files(client, converse):
    where = begin(converse(), entries(*"abc"))
    part = bytes(MAX_UPLOAD // 2)
    codes = [client.post(where, content=part).status_code for _ in range(3)]
    assert codes == [200, 200, 413]


def test_a_new_job_takes_the_place_of_the_one_before(client, converse):
    conversation = converse()
    before = len(kept())
    for _ in range(3):
        where = begin(conversation, entries("a.csv", "b.csv"))
        client.post(where, content=b"1")
    assert len(kept()) == before + 1


def test_more_entries_than_anyone_brings_are_refused_at_once(converse):
    conversation = converse()
    conversation._write(
        {
            "method": "uploadInit",
            "tag": 7,
            "args": [entries(*map(str, range(20_000)))],
        }
    )
    while (answer := conversation._read().get("response")) is None:
        pass
    assert answer == {"tag": 7, "error": f"≤ {MAX_ENTRIES}"}
