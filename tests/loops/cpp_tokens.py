# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C++ as a list of tokens: brackets, statements, assignments. Enough to rewrite a function of the corpus, no more."""
import re

TOKEN = re.compile(r"""\s+|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])+'|0[xX][0-9a-fA-F']+\w*|\d[\d']*\.?\d*(?:[eE][+-]?\d+)?\w*|\.\d+(?:[eE][+-]?\d+)?\w*
    |[A-Za-z_]\w*|::|->|\+\+|--|<<=|>>=|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|<<|.""", re.X | re.S)
TYPES = set("int long double float bool unsigned char auto short size_t uint8_t uint16_t uint32_t uint64_t int32_t int64_t ptrdiff_t".split())
TEMPLATES = set("""vector span array max min numeric_limits static_cast optional function atomic plus pair reinterpret_cast const_cast
    make_unique normal_distribution map set multiplies minus less greater template""".split())
KEYWORDS = TYPES | set("""const static for while do if else return break continue switch case default struct union namespace std true false
    new delete goto throw try catch sizeof using template class typename this void constexpr signed asm volatile nullptr""".split())
IDENT = re.compile(r"[A-Za-z_]\w*$")


def tokens(text):
    return TOKEN.findall(text)


def blank(t):
    return t.isspace() or t.startswith("//")


def code(ts):
    """Positions of tokens that are neither blanks nor comments."""
    return [i for i, t in enumerate(ts) if not blank(t)]


def closing(ts, i):
    """The position of the bracket that closes the one at i."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    depth = 0
    for j in range(i, len(ts)):
        if ts[j] in pairs:
            depth += 1
        elif ts[j] in pairs.values():
            depth -= 1
            if depth == 0:
                return j
    raise ValueError("unbalanced")


def following(ts, i):
    i += 1
    while i < len(ts) and blank(ts[i]):
        i += 1
    return i


def preceding(ts, i):
    i -= 1
    while i >= 0 and blank(ts[i]):
        i -= 1
    return i


def statement_end(ts, i):
    """One past the statement that begins at i (a block, a control statement, or up to its semicolon)."""
    t = ts[i]
    if t == "{":
        return closing(ts, i) + 1
    if t in ("for", "while", "if", "switch"):
        head = following(ts, i)
        if ts[head] != "(":
            raise ValueError("odd statement")
        end = statement_end(ts, following(ts, closing(ts, head)))
        after = following(ts, end - 1)
        if t == "if" and after < len(ts) and ts[after] == "else":
            return statement_end(ts, following(ts, after))
        return end
    if t == "do":
        body = statement_end(ts, following(ts, i))
        return statement_end(ts, following(ts, body - 1))
    depth = 0
    for j in range(i, len(ts)):
        if ts[j] in "([{":
            depth += 1
        elif ts[j] in ")]}":
            depth -= 1
        elif ts[j] == ";" and depth == 0:
            return j + 1
    raise ValueError("no end")


def statements(ts):
    """(begin, end) of every simple statement: an expression with a semicolon, at the place of a statement."""
    found = []
    for i in code(ts):
        p = preceding(ts, i)
        if p < 0 or ts[i] in KEYWORDS or not (IDENT.match(ts[i]) or ts[i] in ("*", "++", "--")):
            continue
        before = ts[p]
        if before == ")":  # for (…) s; if (…) s;
            depth = 0
            q = p
            while q >= 0:
                depth += (ts[q] == ")") - (ts[q] == "(")
                if depth == 0:
                    break
                q -= 1
            h = preceding(ts, q)
            if h < 0 or ts[h] not in ("for", "while", "if"):
                continue
            if ts[h] == "while" and ts[following(ts, p)] == ";":
                continue
        elif before not in ("{", "}", ";", "else", "do"):
            continue
        if before == ";" and inside_for_head(ts, i):
            continue
        try:
            found.append((i, statement_end(ts, i)))
        except ValueError:
            pass
    return found


def inside_for_head(ts, i):
    depth = 0
    for j in range(i - 1, -1, -1):
        if ts[j] == ")":
            depth += 1
        elif ts[j] == "(":
            if depth == 0:
                p = preceding(ts, j)
                return p >= 0 and ts[p] == "for"
            depth -= 1
        elif ts[j] in "{}" and depth == 0:
            return False
    return False


ASSIGN = {"+=", "-=", "*=", "/=", "^=", "|=", "&="}


def assignment(ts, begin, end):
    """(position of the operator) of a simple assignment statement."""
    depth = 0
    at = None
    for j in range(begin, end):
        if ts[j] in "([{":
            depth += 1
        elif ts[j] in ")]}":
            depth -= 1
        elif depth == 0 and ts[j] in ASSIGN | {"="}:
            if at is not None:
                return None
            at = j
        elif depth == 0 and ts[j] == ",":
            return None
    return at


def plain_target(target):
    """A target that may be evaluated twice: a name, a field, an entry at a plain index."""
    return re.fullmatch(r"[A-Za-z_][\w.]*(\[[\w\s.+*-]*\])*(\.\w+)?", target.strip()) and "++" not in target and "--" not in target


def rewrite_statements(ts, change):
    """Replaces simple statements by change(text before operator, operator, text after) or leaves them; returns text or None."""
    changed = False
    pieces = []
    last = 0
    for begin, end in statements(ts):
        if begin < last:
            continue
        at = assignment(ts, begin, end)
        if at is None:
            continue
        new = change("".join(ts[begin:at]).rstrip(), ts[at], "".join(ts[at + 1:end - 1]).strip())
        if new is None:
            continue
        pieces.append("".join(ts[last:begin]) + new)
        last = end
        changed = True
    return "".join(pieces) + "".join(ts[last:]) if changed else None
