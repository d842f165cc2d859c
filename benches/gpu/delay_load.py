#!/usr/bin/env python3
"""Makes static archives that stand in for shared libraries, so that a program starts where the libraries are missing.

    delay_load.py DIR LIBRARY.so…        writes DIR/libNAME.a for each

A program that is linked with such an archive does not name the library. The first call of one of its functions loads the library and finds
the function; later calls jump there at once. Where there is no library, every function returns the library's own code for "there is no
device" or "not initialised", and functions that give a text say which library is missing.

Needs Linux on x86-64, a C compiler, ar, nm and readelf.
"""

import argparse
import platform
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Missing:
    """What the functions of a library that is missing return."""

    code: int
    # Functions that return a text.
    texts: tuple = ()
    # Functions that write the address of a text to their second argument, and return 0.
    texts_out: tuple = ()
    # Functions that return an address.
    nulls: tuple = ()


KNOWN = {
    # CUDA_ERROR_NO_DEVICE
    "cuda": Missing(100, texts_out=("cuGetErrorString", "cuGetErrorName")),
    # cudaErrorInsufficientDriver. The compiler's own code registers kernels before `main`, and passes on the address that it gets.
    "cudart": Missing(35, texts=("cudaGetErrorString", "cudaGetErrorName"), nulls=("__cudaRegisterFatBinary",)),
    # CUBLAS_STATUS_NOT_INITIALIZED
    "cublas": Missing(1, texts=("cublasGetStatusName", "cublasGetStatusString")),
    "cublasLt": Missing(1, texts=("cublasLtGetStatusName", "cublasLtGetStatusString")),
    # CURAND_STATUS_INITIALIZATION_FAILED
    "curand": Missing(203),
    # NVRTC_ERROR_INTERNAL_ERROR
    "nvrtc": Missing(11, texts=("nvrtcGetErrorString",)),
}

RESOLVER = """\
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#define TEXT "{soname} was not found"

static const char *const names[] = {{ {names} }};
__attribute__((visibility("hidden"))) void *catena_{name}_table[{count}];

static long absent(void) {{ return {code}; }}
static const char *text(void) {{ return TEXT; }}
static void *null(void) {{ return NULL; }}
static int text_out(int code, const char **out) {{
    (void)code;
    if (out) *out = TEXT;
    return 0;
}}
static void *(*const instead[])(void) = {{ (void *(*)(void))absent, (void *(*)(void))text, (void *(*)(void))text_out, null }};
static const unsigned char kinds[] = {{ {kinds} }};

static void *library(void) {{
    static void *handle;
    static int tried;
    // Two threads at once: both get the same handle.
    if (!__atomic_load_n(&tried, __ATOMIC_ACQUIRE)) {{
        __atomic_store_n(&handle, dlopen("{soname}", RTLD_LAZY | RTLD_LOCAL), __ATOMIC_RELAXED);
        __atomic_store_n(&tried, 1, __ATOMIC_RELEASE);
    }}
    return __atomic_load_n(&handle, __ATOMIC_RELAXED);
}}

__attribute__((visibility("hidden"))) void *catena_{name}_resolve(unsigned number) {{
    void *handle = library();
    void *found = handle ? dlsym(handle, names[number]) : NULL;
    if (!found) found = (void *)instead[kinds[number]];
    __atomic_store_n(&catena_{name}_table[number], found, __ATOMIC_RELEASE);
    return found;
}}
"""

# What may hold an argument is kept while the function is looked for: the integer registers, `rax` (of functions with any number of
# arguments), and the first eight vector registers.
LAZY = """\
    .text
    .type catena_{name}_lazy, @function
catena_{name}_lazy:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %rax
    pushq %r10
    subq $128, %rsp
{save}
    movl %r11d, %edi
    call catena_{name}_resolve
    movq %rax, %r11
{restore}
    addq $128, %rsp
    popq %r10
    popq %rax
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    popq %rbp
    .cfi_def_cfa %rsp, 8
    jmp *%r11
    .cfi_endproc
    .size catena_{name}_lazy, . - catena_{name}_lazy
"""

TRAMPOLINE = """\
    .globl {function}
    .hidden {function}
    .type {function}, @function
{function}:
    .cfi_startproc
    endbr64
    movq catena_{name}_table+{offset}(%rip), %r11
    testq %r11, %r11
    je 1f
    jmp *%r11
1:  movl ${number}, %r11d
    jmp catena_{name}_lazy
    .cfi_endproc
    .size {function}, . - {function}
"""


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def soname(library):
    found = re.search(r"\(SONAME\).*\[(.+)\]", output("readelf", "-dW", library))
    if not found:
        sys.exit(f"delay_load: {library} has no name of its own (SONAME)")
    return found[1]


def functions(library):
    """The functions of a library that C programs can call."""
    names = set()
    for line in output("nm", "-D", "--defined-only", library).splitlines():
        *_, kind, name = line.split()
        name = name.split("@")[0]
        if kind in "TWi" and re.fullmatch(r"[A-Za-z_]\w*", name) and not name.startswith("_Z") and name not in ("_init", "_fini"):
            names.add(name)
    return sorted(names)


def archive(folder, library, missing):
    name = re.sub(r"^lib|\.so.*$", "", Path(library).name)
    missing = missing or KNOWN.get(name)
    if missing is None:
        sys.exit(f"delay_load: nothing is known about {library}; --code says what its functions return where it is missing")
    all_functions = functions(library)
    if not all_functions:
        sys.exit(f"delay_load: {library} has no functions")
    kind = {**dict.fromkeys(missing.texts, 1), **dict.fromkeys(missing.texts_out, 2), **dict.fromkeys(missing.nulls, 3)}
    moves = [(f"{16 * n}(%rsp)", f"%xmm{n}") for n in range(8)]
    resolver = RESOLVER.format(
        name=name,
        soname=soname(library),
        code=missing.code,
        count=len(all_functions),
        names=", ".join(f'"{function}"' for function in all_functions),
        kinds=", ".join(str(kind.get(function, 0)) for function in all_functions),
    )
    assembly = LAZY.format(
        name=name,
        save="\n".join(f"    movups {register}, {place}" for place, register in moves),
        restore="\n".join(f"    movups {place}, {register}" for place, register in moves),
    )
    for number, function in enumerate(all_functions):
        assembly += TRAMPOLINE.format(name=name, function=function, number=number, offset=8 * number)
    assembly += '    .section .note.GNU-stack, "", @progbits\n'
    with tempfile.TemporaryDirectory() as build:
        build = Path(build)
        (build / "resolver.c").write_text(resolver)
        (build / "trampolines.s").write_text(assembly)
        objects = []
        for source in ("resolver.c", "trampolines.s"):
            objects.append(str(build / f"{name}-{source}.o"))
            subprocess.run(["cc", "-O2", "-fPIC", "-c", "-o", objects[-1], str(build / source)], check=True)
        target = folder / f"lib{name}.a"
        target.unlink(missing_ok=True)
        subprocess.run(["ar", "rcs", str(target), *objects], check=True)
    print(f"{target}: {len(all_functions)} functions of {soname(library)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("libraries", nargs="+")
    parser.add_argument("--code", type=int, help="what the functions of a library that is missing return")
    parser.add_argument("--text", action="append", default=[], help="a function that returns a text")
    parser.add_argument("--text-out", action="append", default=[], help="one that writes the address of a text to its second argument")
    parser.add_argument("--null", action="append", default=[], help="a function that returns an address")
    options = parser.parse_args()
    if platform.machine() not in ("x86_64", "AMD64") or not sys.platform.startswith("linux"):
        sys.exit("delay_load: this makes code for Linux on x86-64 only")
    own = None
    if options.code is not None:
        own = Missing(options.code, tuple(options.text), tuple(options.text_out), tuple(options.null))
    options.folder.mkdir(parents=True, exist_ok=True)
    for library in options.libraries:
        archive(options.folder, library, own)


if __name__ == "__main__":
    main()
