#!/usr/bin/env python3
"""Checks the judge's verdicts in rational arithmetic: bench_judge 1 200 | bench/judge/exact.py

Every line is a problem with a reaction r and the judge's verdict. x = M^-1 (H r + f), u, q and trace(W) are computed as
fractions of whole numbers, so that nothing is rounded; square roots with 60 digits. The judge is wrong where it says
solved and the exact E2 exceeds the tolerance or the exact E3 a hundred times that (docs/theory/rounding.md). Refused
though exactly solved is not wrong, but counted. Exit code 1 when it was wrong anywhere.
"""
import decimal
import fractions
import json
import sys

decimal.getcontext().prec = 60
Fraction, Decimal = fractions.Fraction, decimal.Decimal


def real(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


def solve(A, columns):
    """A^-1 of the columns, by elimination with fractions."""
    n = len(A)
    rows = [list(A[i]) + [c[i] for c in columns] for i in range(n)]
    for j in range(n):
        p = next(i for i in range(j, n) if rows[i][j] != 0)
        rows[j], rows[p] = rows[p], rows[j]
        pivot = rows[j][j]
        rows[j] = [v / pivot if v else v for v in rows[j]]
        for i in range(n):
            if i != j and rows[i][j] != 0:
                t = rows[i][j]
                rows[i] = [a - t * b if b else a for a, b in zip(rows[i], rows[j])]
    return [[rows[i][n + c] for i in range(n)] for c in range(len(columns))]


def norm(values):
    return sum((v * v for v in values), Decimal(0)).sqrt()


def cone_map(mu, rho, r, u):
    slip = norm(u[1:])
    z = [r[0] - rho * (u[0] + mu * slip)] + [a - rho * b for a, b in zip(r[1:], u[1:])]
    t = norm(z[1:])
    if t <= mu * z[0]:
        y = z
    else:
        along = (mu * t + z[0]) / (1 + mu * mu)
        y = [along] + [mu * along * v / t for v in z[1:]] if along > 0 else [Decimal(0)] * 3
    F = [a - b for a, b in zip(r, y)]
    size, normal = norm(F), min(rho * u[0], r[0]) / 100
    return F if abs(normal) <= size else [normal] + F[1:]


def block_map(law, rho, r, u):
    mu, kind = Decimal(law["mu"]), law["kind"]
    if kind == "equality":
        return [rho * v for v in u]
    if kind == "coulomb":
        return cone_map(mu, rho, r, u)
    if kind == "box":
        limit = Decimal(law["limit"])
        return [r[0] - max(-limit, min(limit, r[0] - rho * u[0]))]
    if kind == "ball":
        z = [a - rho * b for a, b in zip(r, u)]
        size, limit = norm(z), Decimal(law["limit"])
        return [a - (b if size <= limit else b * limit / size) for a, b in zip(r, z)]
    first = [min(rho * u[0], r[0])]
    if kind == "sliding":
        first += [a + mu * r[0] * Decimal(d) for a, d in zip(r[1:], law["direction"])]
    return first


def exact(line):
    dofs, rows = line["dofs"], line["rows"]
    M = [[Fraction(0)] * dofs for _ in range(dofs)]
    H = [[Fraction(0)] * dofs for _ in range(rows)]
    for i, j, v in line["M"]:
        M[i][j] = Fraction(v)
    for i, j, v in line["H"]:
        H[j][i] = Fraction(v)
    f, w, r = ([Fraction(v) for v in line[name]] for name in ("f", "w", "r"))
    b = [f[i] + sum(H[j][i] * r[j] for j in range(rows)) for i in range(dofs)]
    columns = solve(M, [f, b] + H)
    dot = lambda a, c: sum((x * y for x, y in zip(a, c) if x), Fraction(0))
    q = [real(dot(H[j], columns[0]) + w[j]) for j in range(rows)]
    u = [real(dot(H[j], columns[1]) + w[j]) for j in range(rows)]
    rho = real(rows / sum(dot(H[j], columns[2 + j]) for j in range(rows)))
    r, F, at = [real(v) for v in r], [], 0
    for law in line["laws"]:
        end = at + law["rows"]
        F += block_map(law, rho, r[at:end], u[at:end])
        at = end
    data = rho * max(norm(q), Decimal(line["floor"]) / Decimal(line["tolerance"]))
    law = max(norm(r), data)
    return norm(F) / (law or 1), norm(F) / (data or 1)  # without data the map itself counts


def main():
    judged = solved = wrong = strict = 0
    for text in sys.stdin:
        line = json.loads(text)
        E2, E3 = exact(line)
        tolerance = Decimal(line["tolerance"])
        holds = E2 <= tolerance and E3 <= 100 * tolerance
        judged += 1
        solved += line["solved"]
        if line["solved"] and not holds:
            wrong += 1
            print(f"seed {line['seed']}: solved, but exactly E2 = {E2:.6e}, E3 = {E3:.6e} (judge: {line['E2']:.6e})")
        if not line["solved"] and holds:
            strict += 1
            print(f"seed {line['seed']}: refused, but exactly E2 = {E2:.6e} (judge: {line['E2']:.6e} + {line['E2_rounding']:.1e})")
    print(f"{judged} verdicts, {solved} solved; wrong: {wrong}; refused though solved: {strict}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
