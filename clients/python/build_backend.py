"""Builds the wheel and the source archive with the standard library alone, the same bytes for the same sources.

A build backend of PEP 517, so `pip install .` and `python3 -m build` work without a network; or run
`python3 build_backend.py OUT`. Python 3.10 has no TOML reader, so this file reads what pyproject.toml uses of TOML.
"""

from __future__ import annotations

import ast
import base64
import gzip
import hashlib
import io
import re
import sys
import tarfile
import zipfile
from pathlib import Path

HOME = Path(__file__).parent
SOURCES = HOME / "src"
# The earliest time that a zip archive can hold.
TIME = (1980, 1, 1, 0, 0, 0)


def build_wheel(
    wheel_directory: str, config_settings: object = None, metadata_directory: object = None
) -> str:
    name, version = _project()["name"], _version()
    info = f"{name}-{version}.dist-info"
    files = {path.relative_to(SOURCES).as_posix(): path.read_bytes() for path in _package_files()}
    files[f"{info}/METADATA"] = _metadata().encode("utf-8")
    files[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: writecheck\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    files[f"{info}/licenses/LICENSE"] = _license()
    lines = [f"{path},sha256={_digest(data)},{len(data)}" for path, data in files.items()]
    files[f"{info}/RECORD"] = "".join(f"{line}\n" for line in [*lines, f"{info}/RECORD,,"]).encode("utf-8")
    wheel = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            member = zipfile.ZipInfo(path, TIME)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o100644 << 16
            archive.writestr(member, data)
    return wheel


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    base = f"{_project()['name']}-{_version()}"
    kept = [HOME / name for name in ("README.md", "pyproject.toml", "build_backend.py")]
    files = {path.relative_to(HOME).as_posix(): path.read_bytes() for path in [*kept, *_package_files()]}
    files["LICENSE"] = _license()
    files["PKG-INFO"] = _metadata().encode("utf-8")
    archive_name = f"{base}.tar.gz"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in sorted(files.items()):
            member = tarfile.TarInfo(f"{base}/{path}")
            member.size = len(data)
            member.mode = 0o644
            archive.addfile(member, io.BytesIO(data))
    Path(sdist_directory, archive_name).write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return archive_name


def _package_files() -> list[Path]:
    found = (path for path in SOURCES.rglob("*") if path.suffix == ".py" or path.name == "py.typed")
    return sorted(found)


def _project() -> dict[str, object]:
    """The table `project` with the tables below it: strings, and lists of strings or of inline tables of strings."""
    project: dict[str, object] = {}
    table: dict[str, object] | None = None
    text = (HOME / "pyproject.toml").read_text("utf-8")
    for line in re.findall(r"^\[.+\]$|^[\w-]+ = (?:\[$[^]]*^\]$|.+$)", text, re.MULTILINE):
        if line.startswith("["):
            name, _, below = line[1:-1].partition(".")
            if name == "project" and below:
                project[below] = {}
            table = None if name != "project" else project[below] if below else project  # type: ignore[assignment]
        elif table is not None:
            name, _, value = line.partition(" = ")
            # These values have Python's syntax, except for the names in an inline table.
            table[name] = ast.literal_eval(re.sub(r"([{,] *)(\w+) = ", r'\1"\2": ', value))
    return project


def _version() -> str:
    text = (SOURCES / "writecheck/_version.py").read_text("utf-8")
    found = re.search(r'__version__ = "([^"]+)"', text)
    if found is None:
        raise ValueError("src/writecheck/_version.py names no version")
    return found[1]


def _metadata() -> str:
    project: dict[str, object] = _project()
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {_version()}",
        f"Summary: {project['description']}",
        "License-Expression: Apache-2.0",
        "License-File: LICENSE",
        f"Requires-Python: {project['requires-python']}",
        *(f"Author: {author['name']}" for author in project["authors"]),  # type: ignore[attr-defined]
        "Keywords: " + ",".join(project["keywords"]),  # type: ignore[arg-type]
        *(f"Classifier: {line}" for line in project["classifiers"]),  # type: ignore[attr-defined]
        *(f"Project-URL: {name}, {url}" for name, url in project["urls"].items()),  # type: ignore[attr-defined]
    ]
    for extra, needs in project["optional-dependencies"].items():  # type: ignore[attr-defined]
        lines.append(f"Provides-Extra: {extra}")
        lines.extend(f'Requires-Dist: {need}; extra == "{extra}"' for need in needs)
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + (HOME / "README.md").read_text("utf-8")


def _license() -> bytes:
    own = HOME / "LICENSE"
    return (own if own.exists() else HOME.parent.parent / "LICENSE").read_bytes()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")


if __name__ == "__main__":
    out = sys.argv[1] if len(sys.argv) > 1 else "dist"
    Path(out).mkdir(parents=True, exist_ok=True)
    print(build_wheel(out))
    print(build_sdist(out))
