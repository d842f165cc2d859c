"""Teacher vectors of the training texts: python embed.py TEACHER texts.txt.gz WORK  (float16 chunks, resumable)"""
import gzip
import os
import sys

import numpy as np

from teacher import Teacher

CHUNK = 40000


def main(folder, texts, work):
    texts = gzip.open(texts, "rt", encoding="utf-8").read().split("\n")[:-1]
    teacher = Teacher(folder, precision="bf16")
    for at in range(0, len(texts), CHUNK):
        path = f"{work}/teacher-{at // CHUNK:03}.npy"
        if not os.path.exists(path):
            np.save(path + ".part.npy", teacher(texts[at:at + CHUNK]).astype(np.float16))
            os.rename(path + ".part.npy", path)
            print(at + CHUNK, len(texts), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:4])
