"""Matrices as R code writes them: matrix(c(…)), array, structure, rbind and cbind."""

import re

_C = r"c\(([^()]*)\)"
MARK = re.compile(rf"\b(?:matrix|array|structure|rbind|cbind)\(\s*{_C}")
_SHAPED = re.compile(rf"\b(?:matrix|array|structure)\(\s*{_C}((?:[^()]|{_C})*)\)")
_BOUND = re.compile(rf"\b([rc])bind\(((?:\s*(?:\w+\s*=\s*)?{_C}\s*,?)+)\s*\)")
_SIZE = re.compile(r"\b(n(?:row|col))?\s*=?\s*(\d+)L?\b")
_DIM = re.compile(rf"\bdim\s*=\s*{_C}|,\s*{_C}")
_BY_ROW = re.compile(r"\bbyrow\s*=\s*T(?:RUE)?\b")


def strip(text: str) -> str:
    """Write them as nested lists."""
    return _BOUND.sub(_bind, _SHAPED.sub(_shape, text))


def _numbers(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _bind(found: re.Match[str]) -> str:
    rows = [_numbers(part) for part in re.findall(_C, found[2])]
    if found[1] == "c" and len({len(row) for row in rows}) == 1:
        rows = [list(column) for column in zip(*rows, strict=True)]
    return _written(rows)


def _shape(found: re.Match[str]) -> str:
    """Fill a shape as R does, the first index fastest; what does not fit stays."""
    cells, rest = _numbers(found[1]), found[2]
    dim = _DIM.search(rest)
    if dim is not None:
        sizes = [int(size.rstrip("L")) for size in _numbers(dim[1] or dim[2])]
    else:
        told = dict(_sizes(rest))
        rows = told.get("nrow") or len(cells) // (told.get("ncol") or len(cells) or 1)
        sizes = [rows, told.get("ncol") or len(cells) // (rows or 1)]
    rows, columns, *outer = [*sizes, 1, 1][: max(len(sizes), 2)]
    if not rows * columns or len(cells) % (rows * columns) or len(outer) > 1:
        return found[0]
    tables = []
    for start in range(0, len(cells), rows * columns):
        table = cells[start : start + rows * columns]
        if _BY_ROW.search(rest):
            tables.append([table[i * columns : (i + 1) * columns] for i in range(rows)])
        else:
            tables.append([table[i::rows] for i in range(rows)])
    return _written(tables if outer else tables[0])


def _sizes(rest: str) -> list[tuple[str, int]]:
    """Give nrow and ncol, by name or by place."""
    names = iter(("nrow", "ncol"))
    return [
        (named or next(names, ""), int(size))
        for named, size in _SIZE.findall(_BY_ROW.sub("", rest))
    ]


def _written(nested: object) -> str:
    if isinstance(nested, list):
        return "[" + ", ".join(map(_written, nested)) + "]"
    return str(nested)
