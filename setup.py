"""Builds the native extensions and the message catalogues.

CAFEBRAIN_SANITIZE=1 builds the extensions with ASan, UBSan and Cython's own bounds checks.
"""
import os
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
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

# Like the C files of cythonize, catalogues are compiled whatever is asked for, beside their sources.
for source in (path for room in ("solver", "engines") for path in Path(room).rglob("locale/*/LC_MESSAGES/*.po")):
    with source.open("rb") as text, source.with_suffix(".mo").open("wb") as compiled:
        write_mo(compiled, read_po(text))

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
