#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Metamorphic copies of the corpus: the same loops written otherwise, of which the same is true.

    copies.py OUT [--only NAME,…] [--files STEM,…] [--sample I/N]

writes OUT/TRANSFORMATION/FILE.cpp, each with those functions of FILE.cpp that the transformation changes (and the helpers that they need).
It works on tokens: it knows no types, so it changes only what means the same whatever the types are.
--sample I/N keeps every N-th changed function of each transformation, starting with the I-th: a different one for each transformation.
"""
import argparse
import pathlib
import re

from cpp_tokens import (ASSIGN, IDENT, KEYWORDS, TEMPLATES, TYPES, assignment, blank, closing, code, following, plain_target, preceding,
                        rewrite_statements, statement_end, statements, tokens)

HERE = pathlib.Path(__file__).resolve().parent
HELPERS = {
    "reads_through_a_helper": "template <class A, class I>\nstatic auto entry_of(const A& a, I i) {\n  return a[i];\n}\n",
    "values_through_a_helper": "template <class T>\nstatic T same_value(T v) {\n  return v;\n}\n",
}


# --- the transformations: function text in, text out, or None where nothing changes

def declared_names(ts):
    names = set()
    c = code(ts)
    for k, i in enumerate(c):
        t = ts[i]
        if not IDENT.match(t) or t in KEYWORDS or k == 0 or k + 1 >= len(c):
            continue
        before, after = ts[c[k - 1]], ts[c[k + 1]]
        typed = before in TYPES or before in ("*", "&", ">") and k >= 2 and (ts[c[k - 2]] in TYPES or ts[c[k - 2]] == ">" or ts[c[k - 2]] == "const")
        if typed and after in ("=", ",", ";", ")", ":", "[", "{"):
            names.add(t)
        if before == "," and after in ("=", ",", ";") and declares_list(ts, c, k):
            names.add(t)
    return names


def declares_list(ts, c, k):
    """Whether the comma before c[k] stands in a declaration: T a = …, b = …;"""
    depth = 0
    for j in range(k - 1, -1, -1):
        t = ts[c[j]]
        depth += (t in ")]}") - (t in "([{")
        if depth < 0:
            return ts[c[j]] == "(" and j > 0 and ts[c[j - 1]] == "for" and ts[c[j + 1]] in TYPES
        if depth == 0 and t in (";", "{", "}"):
            return ts[c[j + 1]] in TYPES or (ts[c[j + 1]] in ("const", "std") and any(ts[c[m]] in TYPES for m in range(j + 1, min(j + 5, k))))
    return False


def renamed(style):
    def f(text, name):
        ts = tokens(text)
        names = sorted(declared_names(ts) - {name})
        if not names or "struct {" in text:
            return None
        to = {n: style(n, k) for k, n in enumerate(names)}
        out = []
        for i, t in enumerate(ts):
            p = preceding(ts, i)
            member = p >= 0 and ts[p] in (".", "->", "::")
            out.append(to[t] if t in to and not member else t)
        return "".join(out)
    return f


def increments_spelled_out(text, _):
    ts = tokens(text)
    changed = False
    for i in code(ts):
        if ts[i] not in ("++", "--"):
            continue
        p, n = preceding(ts, i), following(ts, i)
        sign = "+" if ts[i] == "++" else "-"
        after = following(ts, n)
        if p >= 0 and ts[p] in (";", "{", "}", ")") and IDENT.match(ts[n]) and ts[after] in (";", ")") and (ts[p] != ")" or ts[after] == ";"):
            ts[i], ts[n] = ts[n], f" {sign}= 1"
            changed = True
        elif p >= 0 and IDENT.match(ts[p]) and ts[p] not in KEYWORDS and ts[n] in (";", ")") and ts[preceding(ts, p)] in (";", "{", "}", ")"):
            ts[i] = f" {sign}= 1"
            changed = True
    return "".join(ts) if changed else None


def compound_spelled_out(text, _):
    return rewrite_statements(tokens(text), lambda v, o, e: f"{v} = {v} {o[0]} ({e});" if o in ASSIGN and plain_target(v) else None)


def compound_from_the_other_side(text, _):
    return rewrite_statements(tokens(text), lambda v, o, e: f"{v} = ({e}) {o[0]} {v};" if o in ("+=", "*=", "^=", "|=", "&=") and plain_target(v) else None)


def subtracts_by_adding(text, _):
    return rewrite_statements(tokens(text), lambda v, o, e: f"{v} += -({e});" if o == "-=" and plain_target(v) else None)


def sums_split(text, _):
    """s += a + b becomes s += a; s += b, where nothing in b reads s."""
    def change(v, o, e):
        if o != "+=" or not plain_target(v):
            return None
        parts = top_level(e, "+")
        if len(parts) != 2 or re.search(rf"\b{re.escape(v.split('[')[0].split('.')[0])}\b", e) or "?" in e or "++" in e or "<" in e or "=" in e:
            return None
        return f"{{ {v} += {parts[0]}; {v} += {parts[1]}; }}"
    return rewrite_statements(tokens(text), change)


def top_level(expression, operator):
    ts = tokens(expression)
    depth, parts, now = 0, [], []
    for i, t in enumerate(ts):
        if t in ("(", "[", "{"):
            depth += 1
        elif t in (")", "]", "}"):
            depth -= 1
        p = preceding(ts, i)
        binary = p >= 0 and (IDENT.match(ts[p]) or ts[p] in (")", "]") or ts[p][0].isdigit())
        if depth == 0 and t == operator and binary:
            parts.append("".join(now).strip())
            now = []
        else:
            now.append(t)
    return parts + ["".join(now).strip()]


def operands(ts, i, stop):
    """The operands of the binary operator at i, bounded by `stop` tokens at the same depth: (begin, end) or None."""
    depth, j = 0, i - 1
    while j >= 0:
        t = ts[j]
        if t in ")]}":
            depth += 1
        elif t in "([{":
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and (t in stop or t == "return"):
            break
        j -= 1
    depth, k = 0, i + 1
    while k < len(ts):
        t = ts[k]
        if t in "([{":
            depth += 1
        elif t in ")]}":
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and t in stop:
            break
        k += 1
    a, b = "".join(ts[j + 1:i]).strip(), "".join(ts[i + 1:k]).strip()
    return (j + 1, k, a, b) if a and b and "++" not in a + b and "--" not in a + b else None


BELOW_COMPARISON = {";", ",", "?", ":", "&&", "||", "=", "==", "!=", "<", ">", "<=", ">=", "&", "|", "^", "<<", ">>", "!"} | ASSIGN
BELOW_SUM = BELOW_COMPARISON | {"+", "-"}
BELOW_PRODUCT = BELOW_SUM | {"*", "/", "%"}


def flip_binary(operator, flipped, stop, before=(), after=()):
    def f(text, _):
        ts = tokens(text)
        brace = ts.index("{")
        for i in reversed(code(ts)):
            if i < brace or i >= len(ts) or ts[i] != operator:
                continue
            p = preceding(ts, i)
            if not (IDENT.match(ts[p]) or ts[p] in (")", "]") or ts[p][0].isdigit()) or ts[p] in TEMPLATES or ts[p] in KEYWORDS - {"true", "false"}:
                continue
            found = operands(ts, i, stop)
            if not found:
                continue
            begin, end, a, b = found
            left = preceding(ts, begin)
            right = end if end < len(ts) else len(ts) - 1
            if (left >= 0 and ts[left] in ("<", ">")) or ts[right] in ("<", ">"):  # a list of template arguments, most likely
                continue
            if (left >= 0 and ts[left] in before) or ts[right] in after or "<" in a + b or ">" in a + b or a.startswith("-") or b.startswith("-"):
                continue
            if any(re.search(r"\b(const|auto|int|double|float|bool|long|unsigned|char|std::\w+_t)\b\s+\w", x) for x in (a, b)) or "return" in a:
                continue
            lead = re.match(r"\s*", "".join(ts[begin:i])).group()
            ts[begin:end] = [f"{lead}{b} {flipped} {a}"] + [" "] * 0
            return_text = "".join(ts)
            ts = tokens(return_text)
            return return_text
        return None
    return f


def minus_by_plus(text, _):
    if "begin()" in text:  # a distance of iterators
        return None
    ts = tokens(text)
    brace = ts.index("{")
    changed = False
    for i in reversed(code(ts)):
        if i < brace or ts[i] != "-":
            continue
        p = preceding(ts, i)
        if not (IDENT.match(ts[p]) or ts[p] in (")", "]") or ts[p][0].isdigit()) or ts[p] in KEYWORDS:
            continue
        left = preceding(ts, p)
        if left >= 0 and ts[left] == "<":
            continue
        ts[i] = "+ -"
        changed = True
    return "".join(ts) if changed else None


def if_to_choice(text, _):
    """if (c) v = e; without else becomes v = c ? e : v;"""
    ts = tokens(text)
    for i in code(ts):
        if ts[i] != "if":
            continue
        head = following(ts, i)
        if ts[head] != "(":
            continue
        close = closing(ts, head)
        body = following(ts, close)
        braces = ts[body] == "{"
        end = statement_end(ts, body)
        after = following(ts, end - 1)
        if after < len(ts) and ts[after] == "else":
            continue
        p = preceding(ts, i)
        if ts[p] == "else":
            continue
        inner = "".join(ts[body + 1:end - 1] if braces else ts[body:end]).strip()
        m = re.fullmatch(r"([A-Za-z_]\w*)\s*(=|\+=)\s*([^;{}]+);", inner)
        c = "".join(ts[head + 1:close])
        if not m or "++" in inner or "--" in inner or "++" in c or "=" in re.sub(r"[=!<>]=", "", c):
            continue
        v, o, e = m.groups()
        e = f"{v} + ({e})" if o == "+=" else e
        return "".join(ts[:i]) + f"{v} = ({c}) ? ({e}) : {v};" + "".join(ts[end:])
    return None


def choice_to_if(text, _):
    def change(v, o, e):
        if o != "=" or not plain_target(v) or "[" in v and "]" in v and "?" in v:
            return None
        ts = tokens(e)
        depth = 0
        q = colon = None
        for k, t in enumerate(ts):
            depth += (t in "([{") - (t in ")]}")
            if depth == 0 and t == "?":
                if q is not None:
                    return None
                q = k
            if depth == 0 and t == ":" and q is not None:
                colon = k
        if q is None or colon is None:
            return None
        c, a, b = ("".join(x).strip() for x in (ts[:q], ts[q + 1:colon], ts[colon + 1:]))
        return f"{{ if ({c}) {v} = {a}; else {v} = {b}; }}"
    return rewrite_statements(tokens(text), change)


def extrema_by_choice(text, _):
    """std::max(a, b) becomes (a < b ? b : a)."""
    ts = tokens(text)
    for i in reversed(code(ts)):
        if ts[i] not in ("max", "min"):
            continue
        p = preceding(ts, i)
        q = following(ts, i)
        if ts[p] != "::" or ts[q] != "(" or ts[preceding(ts, p)] != "std":
            continue
        close = closing(ts, q)
        inner = "".join(ts[q + 1:close])
        parts = split_arguments(inner)
        if len(parts) != 2 or "++" in inner or "{" in inner:
            continue
        a, b = parts
        c = f"({a}) < ({b})" if ts[i] == "max" else f"({b}) < ({a})"
        return "".join(ts[:preceding(ts, p)]) + f"(({c}) ? ({b}) : ({a}))" + "".join(ts[close + 1:])
    return None


def split_arguments(inner):
    depth, parts, now = 0, [], ""
    for t in tokens(inner):
        depth += (t in "([{") - (t in ")]}")
        if t == "," and depth == 0:
            parts.append(now.strip())
            now = ""
        else:
            now += t
    return parts + [now.strip()]


def for_to_while(text, _):
    ts = tokens(text)
    for i in code(ts):
        if ts[i] != "for":
            continue
        head = following(ts, i)
        close = closing(ts, head)
        parts = "".join(ts[head + 1:close])
        if parts.count(";") != 2 or ":" in parts.replace("::", ""):
            continue
        a, b, c = (x.strip() for x in parts.split(";"))
        body = following(ts, close)
        end = statement_end(ts, body)
        inner = "".join(ts[body + 1:end - 1] if ts[body] == "{" else ts[body:end])
        if "continue" in inner or not b:
            continue
        a = f"{a};" if a else ""
        if "," in a and not re.match(r"(const )?(std::)?\w+ ", a):
            continue
        c = "; ".join(x.strip() for x in split_arguments(c))
        return "".join(ts[:i]) + f"{{ {a} while ({b}) {{ {inner} {c}; }} }}" + "".join(ts[end:])
    return None


def reads_through_a_helper(text, _):
    """x[i] becomes entry_of(x, i) where x is a parameter that is only read."""
    ts = tokens(text)
    brace = ts.index("{")
    header = "".join(ts[:brace])
    arrays = re.findall(r"const (?:std::)?(?:int|double|float|unsigned|char|uint\d+_t)\s*\*\s*(\w+)\s*[,)]", header)
    body = "".join(ts[brace:])
    new = body
    for a in arrays:
        new = re.sub(rf"(?<![\w.&*]){a}\[([\w\s]+(?:[+-] ?\w+)?)\]", rf"entry_of({a}, \1)", new)
    return header + new if new != body else None


def values_through_a_helper(text, _):
    return rewrite_statements(tokens(text), lambda v, o, e: f"{v} {o} same_value({e});" if (o in ASSIGN or o == "=") and not e.startswith("{") else None)


def parenthesised(text, _):
    return rewrite_statements(tokens(text), lambda v, o, e: f"{v} {o} (({e}));" if not e.startswith("{") else None)


def conditions_twice_negated(text, _):
    ts = tokens(text)
    changed = False
    for i in reversed(code(ts)):
        if ts[i] != "if":
            continue
        head = following(ts, i)
        if ts[head] != "(":
            continue
        close = closing(ts, head)
        ts[head + 1:close] = ["!(!(" + "".join(ts[head + 1:close]) + "))"]
        changed = True
    return "".join(ts) if changed else None


def with_a_variable_that_nobody_reads(text, _):
    ts = tokens(text)
    brace = ts.index("{")
    for i in code(ts):
        if ts[i] not in ("for", "while") or i < brace:
            continue
        head = following(ts, i)
        close = closing(ts, head)
        body = following(ts, close)
        if body >= len(ts) or ts[body] == ";":
            continue
        end = statement_end(ts, body)
        inner = "".join(ts[body + 1:end - 1] if ts[body] == "{" else ts[body:end])
        text = "".join(ts[:body]) + "{ noise_ = noise_ / 2 + 1;" + inner + "}" + "".join(ts[end:])
        ts = tokens(text)
        return "".join(ts[:brace + 1]) + "\n  double noise_ = 0;" + "".join(ts[brace + 1:])
    return None


def unnecessary_const_dropped(text, _):
    ts = tokens(text)
    brace = ts.index("{")
    body = "".join(ts[brace:])
    new = re.sub(r"(?<=[{};\n] )const (?=(?:double|float|int|long|bool|unsigned|auto) \w+ = )", "", body)
    return "".join(ts[:brace]) + new if new != body else None


def long_index(text, _):
    new = re.sub(r"for \(int (\w+) = (\w+); \1 < (\w+)", r"for (long \1 = \2; \1 < \3", text)
    return new if new != text else None


def updates_reordered(text, _):
    """Two neighbouring assignments, neither of which reads what the other writes."""
    ts = tokens(text)
    found = statements(ts)
    for (a, b), (c, d) in zip(found, found[1:]):
        if following(ts, b - 1) != c:
            continue
        p = preceding(ts, a)
        if ts[p] not in ("{", "}", ";"):
            continue
        x, y = assignment(ts, a, b), assignment(ts, c, d)
        if x is None or y is None:
            continue
        one, two = "".join(ts[a:b]), "".join(ts[c:d])
        base = lambda s: re.match(r"[*\s]*([A-Za-z_]\w*)", s).group(1)
        first, second = base(one), base(two)
        words_one, words_two = set(re.findall(r"[A-Za-z_]\w*", one)), set(re.findall(r"[A-Za-z_]\w*", two))
        if first in words_two or second in words_one or "++" in one + two or "--" in one + two or "(" in one + two and "std" not in one + two:
            continue
        return "".join(ts[:a]) + two + "".join(ts[b:c]) + one + "".join(ts[d:])
    return None


def unrolled(times):
    def f(text, _):
        m = re.search(r"for \(int (\w+) = (\w+); \1 < (\w+); (?:\+\+\1|\1\+\+)\) ?", text)
        if not m or m.group(3) == m.group(1):
            return None
        i, start, n = m.groups()
        ts = tokens(text)
        at = text[:m.end()]
        k = len(tokens(at))
        body = k if not blank(ts[k]) else following(ts, k)
        end = statement_end(ts, body)
        inner = "".join(ts[body:end])
        if re.search(r"\b(break|continue|return|for|while)\b", inner) or re.search(rf"\b{i}\s*(\+\+|--|[-+]=)|(\+\+|--)\s*{i}\b", inner):
            return None
        if re.search(r"const \w+ \w+ = |\b(double|int|float|auto|bool) \w+ =", inner) and not inner.startswith("{"):
            return None
        copies = [re.sub(rf"(?<![\w.]){i}\b", f"({i} + {j})" if j else i, inner) for j in range(times)]
        main = f"int {i} = {start};\n  for (; {i} + {times - 1} < {n}; {i} += {times}) {{ {' '.join(copies)} }}\n  for (; {i} < {n}; ++{i}) {inner}"
        return text[:m.start()] + "{ " + main + " }" + "".join(ts[end:])
    return f


TRANSFORMATIONS = {
    "renamed": renamed(lambda n, k: f"v{k}_"),
    "renamed_confusingly": renamed(lambda n, k: "l" + "I1"[k % 2] * (k + 2)),
    "increments_spelled_out": increments_spelled_out,
    "compound_spelled_out": compound_spelled_out,
    "compound_from_the_other_side": compound_from_the_other_side,
    "subtracts_by_adding": subtracts_by_adding,
    "sums_split": sums_split,
    "minus_by_plus": minus_by_plus,
    "products_commuted": flip_binary("*", "*", BELOW_PRODUCT, ("/", "*", "%"), ("/", "%")),
    "sums_commuted": flip_binary("+", "+", BELOW_SUM, ("-", "/", "*", "%", "+"), ("*",)),
    "less_flipped": flip_binary("<", ">", BELOW_COMPARISON),
    "greater_flipped": flip_binary(">", "<", BELOW_COMPARISON),
    "if_to_choice": if_to_choice,
    "choice_to_if": choice_to_if,
    "extrema_by_choice": extrema_by_choice,
    "for_to_while": for_to_while,
    "reads_through_a_helper": reads_through_a_helper,
    "values_through_a_helper": values_through_a_helper,
    "parenthesised": parenthesised,
    "conditions_twice_negated": conditions_twice_negated,
    "with_a_variable_that_nobody_reads": with_a_variable_that_nobody_reads,
    "unnecessary_const_dropped": unnecessary_const_dropped,
    "long_index": long_index,
    "updates_reordered": updates_reordered,
    "unrolled_by_two": unrolled(2),
    "unrolled_by_four": unrolled(4),
}
EXPECTATION = re.compile(r"^// \[([HAMNR])\] (\w+)((?: \+\d+)?)((?:, witness)?)(?: TF\d{4})?(: .*)?$")


def split_file(text):
    """Chunks: (expectation line or None, text, function name)."""
    chunks, lines = [], text.split("\n")
    k, plain = 0, []
    while k < len(lines):
        m = EXPECTATION.match(lines[k])
        if not m:
            plain.append(lines[k])
            k += 1
            continue
        chunks.append((None, "\n".join(plain), ""))
        plain = []
        head = k + 1
        end = head
        while lines[end] != "}" and not (end == head and lines[end].rstrip().endswith("}")):
            end += 1
        body = "\n".join(lines[head:end + 1])
        chunks.append((f"// [{m[1]}] {m[2]}{m[3]}{m[4]}", body, re.search(r"([A-Za-z_]\w*)\s*\(", lines[head]).group(1)))
        k = end + 1
    chunks.append((None, "\n".join(plain), ""))
    return chunks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--files", default="")
    parser.add_argument("--sample", default="0/1")
    a = parser.parse_args()
    first, every_nth = (int(x) for x in a.sample.split("/"))
    made = {}
    for number, (name, change) in enumerate(TRANSFORMATIONS.items()):
        if a.only and name not in a.only.split(","):
            continue
        counter = number
        for path in sorted((HERE / "inputs").glob("*.cpp")):
            if a.files and path.stem not in a.files.split(","):
                continue
            out, count = [], 0
            for expectation, text, function in split_file(path.read_text(encoding="utf-8")):
                if expectation is None:
                    out.append(text)
                    continue
                try:
                    new = change(text, function)
                except (ValueError, IndexError, AttributeError):
                    new = None
                if new is None or new == text:
                    continue
                counter += 1
                if counter % every_nth != first % every_nth:
                    continue
                out.append(f"{expectation}\n{new}")
                count += 1
            if count == 0:
                continue
            made[name] = made.get(name, 0) + count
            body = "\n".join(out)
            if name in HELPERS:  # after the includes
                at = max(m.end() for m in re.finditer(r"^#include .*$", body, re.M))
                body = body[:at] + "\n\n" + HELPERS[name] + body[at:]
            target = a.out / name / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(body.rstrip("\n") + "\n", encoding="utf-8")
    for name, n in made.items():
        print(f"{n:6} {name}")
    print(f"{sum(made.values()):6} copies")


if __name__ == "__main__":
    main()
