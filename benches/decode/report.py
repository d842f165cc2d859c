"""Writes the section of RESULTS.md about language models from what was measured.

report.py DIR RESULTS.md [--no-write]
"""

import json
import os
import platform
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from section import write_section  # noqa: E402



def machine():
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown processor")
    return f"{os.cpu_count()} cores ({cpu}), {platform.system()}, profile `bench`, `target-cpu=native`"


def section(ours, peer):
    bound = ours["bandwidth"] / ours["bytes_per_token"]
    real = "shape" not in ours["model"]
    rows = [("Catena", ours["ours"]), (f"candle-transformers (`quantized_{'llama' if real else 'qwen2'}`)", ours["candle"])]
    if peer:
        rows.append((f"llama.cpp (llama-cpp-python {peer['version']})", peer))
    base = peer or ours["candle"]
    lines = [
        "## A real language model: reading and writing tokens" if real else "## Language model: reading and writing tokens",
        "",
        (
            f"`benches/decode/run.sh --model FILE` writes this section: {ours['model']} ({ours['stored_as']}) "
            if real
            else "`benches/decode/run.sh` writes this section: a model of Qwen2-0.5B's shape with random Q8_0 weights "
        )
        + f"({ours['bytes_per_token'] / 1e6:.0f} MB read for every token written), a prompt of {ours['prompt']} tokens, then "
        f"{ours['written']} tokens one by one, {ours['threads']} threads, medians of 3 runs, all on the same file in one run. "
        f"Two threads that do nothing but read memory read {ours['bandwidth'] / 1e9:.1f} GB/s in the same run, which would allow "
        f"{bound:.0f} tokens/s. Machine: {machine()}.",
        "",
        f"| | reading, tokens/s | of {'llama.cpp' if peer else 'candle'} | writing, tokens/s | of {'llama.cpp' if peer else 'candle'} | of the bandwidth |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, figures in rows:
        lines.append(
            f"| {name} | {figures['prefill']:.0f} | {figures['prefill'] / base['prefill']:.2f} | {figures['decode']:.1f} "
            f"| {figures['decode'] / base['decode']:.2f} | {figures['decode'] / bound:.2f} |"
        )
    lines += [
        "",
        f"When it draws from {ours['vocabulary']:,} tokens (temperature 0.6, top-p 0.95), Catena writes {ours['ours']['whole']:.1f} tokens/s; it loads the file and lays out its "
        f"weights for the kernels in {ours['ours']['loading_s']:.1f} s."
        + ("" if peer else " This run left llama.cpp out."),
    ]
    return "\n".join(lines)


def main():
    folder, results = Path(sys.argv[1]), Path(sys.argv[2])
    ours = json.loads((folder / "catena.json").read_text())
    peer_file = folder / "llama_cpp.json"
    peer = json.loads(peer_file.read_text()) if peer_file.exists() else None
    text = section(ours, peer)
    write_section(results, "decode" if "shape" in ours["model"] else "decode-real", text, write="--no-write" not in sys.argv)


if __name__ == "__main__":
    main()
