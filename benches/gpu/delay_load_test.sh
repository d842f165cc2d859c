#!/usr/bin/env bash
# Checks delay_load.py with an invented library: a program that is linked with its archive starts without the library and gets the code for
# "missing"; with the library it gets what the library computes, whatever the kinds and the number of arguments.
#
# Needs Linux on x86-64, Python 3, a C compiler and binutils.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "delay_load_test: $*" >&2
    exit 1
}

cat >"$folder/invented.c" <<'C'
#include <stdarg.h>
int total(int a, int b, int c, int d, int e, int f, int g, int h) { return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h; }
double mixed(double a, int b, double c, int d, double e, double f, double g, double h, double i, double j, double k) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k;
}
double any_number(int count, ...) {
    va_list list;
    double sum = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++) sum += i % 2 ? va_arg(list, int) : va_arg(list, double);
    va_end(list);
    return sum;
}
const char *text_of(int code) { return code == 1 ? "one" : "another"; }
int describe(int code, const char **out) { *out = text_of(code); return code; }
static int cell = 5;
void *address(void) { return &cell; }
C
cat >"$folder/program.c" <<'C'
#include <pthread.h>
#include <stdio.h>
int total(int, int, int, int, int, int, int, int);
double mixed(double, int, double, int, double, double, double, double, double, double, double);
double any_number(int, ...);
const char *text_of(int);
int describe(int, const char **);
void *address(void);
static void *many(void *wrong) {
    int first = total(1, 1, 1, 1, 1, 1, 1, 1);
    for (int i = 0; i < 100000; i++) *(int *)wrong += total(1, 1, 1, 1, 1, 1, 1, 1) != first;
    return NULL;
}
int main(int count, char **arguments) {
    (void)arguments;
    pthread_t threads[8];
    int wrong[8] = {0}, all = 0;
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, many, &wrong[i]);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL), all += wrong[i];
    const char *text = "nothing";
    int described = describe(1, &text);
    printf("wrong %d, total %d, ", all, total(1, 2, 3, 4, 5, 6, 7, 8));
    // What a missing library returns is no double.
    if (count > 1) printf("mixed %g %g, ", mixed(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), any_number(5, 1.5, 2, 3.5, 4, 5.25));
    printf("describe %d %s, text %s, address %s\n", described, text, text_of(1), address() ? "set" : "null");
    return 0;
}
C

mkdir "$folder/shared" "$folder/archives"
cc -shared -fPIC -Wl,-soname,libinvented.so.3 -o "$folder/shared/libinvented.so.3" "$folder/invented.c"
ln -s libinvented.so.3 "$folder/shared/libinvented.so"
./delay_load.py "$folder/archives" "$folder/shared/libinvented.so" --code 77 --text text_of --text-out describe --null address
cc -O1 -o "$folder/program" "$folder/program.c" -L"$folder/archives" -L"$folder/shared" -Wl,-Bdynamic -linvented -lpthread -ldl

if readelf -d "$folder/program" | grep -q libinvented; then
    fail "the linker took the shared library, although the archive's folder comes first"
fi
got="$(env -u LD_LIBRARY_PATH "$folder/program")"
want="wrong 0, total 77, describe 0 libinvented.so.3 was not found, text libinvented.so.3 was not found, address null"
[[ "$got" == "$want" ]] || fail "without the library: $got"
got="$(LD_LIBRARY_PATH="$folder/shared" "$folder/program" doubles)"
want="wrong 0, total 204, mixed 506 16.25, describe 1 one, text one, address set"
[[ "$got" == "$want" ]] || fail "with the library: $got"

# One that is older, and lacks a function: that one is missing, and only that one.
sed '/^double any_number/,/^}/d; s/^int total/int other/' "$folder/invented.c" >"$folder/older.c"
cc -shared -fPIC -Wl,-soname,libinvented.so.3 -o "$folder/shared/libinvented.so.3" "$folder/older.c"
got="$(LD_LIBRARY_PATH="$folder/shared" "$folder/program")"
want="wrong 0, total 77, describe 1 one, text one, address set"
[[ "$got" == "$want" ]] || fail "with a library that lacks a function: $got"
echo "delay_load_test: passed"
