"""llama.cpp (llama-cpp-python) on the same file: tokens read and written a second.

peer.py FILE.gguf CATENA.json RESULT.json; the numbers of tokens and threads are those of CATENA.json.
"""

import json
import statistics
import sys
import time

import llama_cpp

RUNS = 3


def main(path, catena, result):
    with open(catena, encoding="utf-8") as file:
        told = json.load(file)
    prompt = [(i * 7919 + 13) % told["vocabulary"] for i in range(told["prompt"])]
    threads = told["threads"]
    model = llama_cpp.Llama(
        path, n_ctx=1024, n_batch=told["prompt"], n_threads=threads, n_threads_batch=threads, n_gpu_layers=0, verbose=False
    )
    prefill, decode = [], []
    model.reset()
    model.eval(prompt)
    for _ in range(RUNS):
        model.reset()
        began = time.perf_counter()
        model.eval(prompt)
        prefill.append(len(prompt) / (time.perf_counter() - began))
        began = time.perf_counter()
        for i in range(told["written"]):
            model.eval([i * 31 % told["vocabulary"]])
        decode.append(told["written"] / (time.perf_counter() - began))
    figures = {
        "version": llama_cpp.__version__,
        "prefill": statistics.median(prefill),
        "decode": statistics.median(decode),
    }
    with open(result, "w", encoding="utf-8") as file:
        json.dump(figures, file)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
