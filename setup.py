"""Builds the native extensions. CAFEBRAIN_SANITIZE=1 builds them with ASan, UBSan and Cython's own bounds checks."""
import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

SANITIZE = os.environ.get("CAFEBRAIN_SANITIZE") == "1"
FLAGS = (
    ["-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    if SANITIZE
    else ["-O3", "-ffp-contract=off"]  # the same sums, and so the same answers, on every machine
)
LINK = ["-fsanitize=address,undefined"] if SANITIZE else []

sources = sorted(path for room in ("cython_ext", "engines") for path in Path(room).rglob("*.pyx"))
extensions = [
    Extension(
        ".".join(path.with_suffix("").parts),
        [path.as_posix()],
        extra_compile_args=[*FLAGS, "-Wno-unused-function", "-Wno-unreachable-code"],
        extra_link_args=LINK,
    )
    for path in sources
]

setup(
    ext_modules=cythonize(
        extensions,
        build_dir="build/cython",
        compiler_directives={
            "language_level": 3,
            "boundscheck": SANITIZE,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "embedsignature": "python",
        },
    ),
    options={"build_ext": {"parallel": os.cpu_count()}},
)
