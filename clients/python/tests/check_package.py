"""Builds the package twice and checks what is in it: `check_package.py VERSION`."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

HOME = Path(__file__).parent.parent


def build(home: Path, out: Path) -> tuple[Path, Path]:
    subprocess.run([sys.executable, home / "build_backend.py", out], check=True, capture_output=True)
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return wheel, sdist


def check_reading_of_pyproject() -> None:
    """The build reads pyproject.toml without a TOML reader, because Python 3.10 has none."""
    if importlib.util.find_spec("tomllib") is None:
        return
    import tomllib

    sys.path.insert(0, str(HOME))
    import build_backend  # type: ignore[import-not-found,unused-ignore]

    assert build_backend._project() == tomllib.loads((HOME / "pyproject.toml").read_text("utf-8"))["project"]


def check(version: str, place: Path) -> None:
    wheel, sdist = build(HOME, place / "first")
    assert wheel.name == f"writecheck-{version}-py3-none-any.whl", wheel.name
    with tarfile.open(sdist) as archive:
        names = archive.getnames()
        if hasattr(tarfile, "data_filter"):
            archive.extractall(place, filter="data")
        else:
            archive.extractall(place)
    assert not [name for name in names if "test" in name or "pyc" in name], names
    again, archived = build(place / f"writecheck-{version}", place / "second")
    assert wheel.read_bytes() == again.read_bytes(), "the source archive builds another wheel"
    assert sdist.read_bytes() == archived.read_bytes(), "the source archive does not reproduce itself"
    with zipfile.ZipFile(wheel) as archive_:
        files = {name: archive_.read(name) for name in archive_.namelist()}
    info = f"writecheck-{version}.dist-info"
    assert "writecheck/py.typed" in files and f"{info}/licenses/LICENSE" in files
    assert f"Version: {version}\n" in files[f"{info}/METADATA"].decode()
    for line in files[f"{info}/RECORD"].decode().splitlines():
        name, digest, size = line.rsplit(",", 2)
        if digest:
            found = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
            assert (digest, size) == (f"sha256={found}", str(len(files[name]))), name
    # A wheel of pure Python can be imported as it is.
    code = f"import writecheck.adapters.langchain as a; assert '.whl' in a.__file__; import writecheck as w; print(w.__version__)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(wheel)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == version, done.stdout


if __name__ == "__main__":
    check_reading_of_pyproject()
    with tempfile.TemporaryDirectory() as folder:
        check(sys.argv[1], Path(folder))
    print("good")
