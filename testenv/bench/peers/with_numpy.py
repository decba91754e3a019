"""What one writes with numpy; OpenBLAS runs on one thread. A task is a
function that returns what to repeat and how many units a repetition is."""

import numpy as np

import regression

SHARDS = 4  # that are absorbed in turn


def linear(p, n, scores=False):
    """The posterior of a regression with intercept after each shard."""
    rng = np.random.default_rng(1)

    def shard(rows):
        x = np.column_stack([np.ones(rows), rng.standard_normal((rows, p))])
        return x, x @ np.full(p + 1, 0.5) + rng.standard_normal(rows)

    model = regression.Regression(p + 1)
    model.absorb(*shard(3000))
    model.summary()
    shards, turn = [shard(n) for _ in range(SHARDS)], 0

    def do():
        nonlocal turn
        now = shards[turn % SHARDS]
        if scores:
            model.score(*now)
        model.absorb(*now)
        model.summary()
        turn += 1

    return do, 1


def scored(p, n):
    """The same, and the score of each shard by the posterior before it."""
    return linear(p, n, scores=True)


def matmul(rows, p, chains):
    """The two products of a sweep of probit's chains over rows; units are flops."""
    rng = np.random.default_rng(2)
    x, beta = rng.standard_normal((rows, p)), rng.standard_normal((p, chains))
    latent, eta, sums = rng.standard_normal((rows, chains)), np.empty((rows, chains)), np.empty((p, chains))

    def do():
        np.matmul(x, beta, out=eta)
        np.matmul(x.T, latent, out=sums)

    return do, 4 * rows * p * chains


def syrk(rows, n):
    """X'X, which numpy gives to syrk; units are flops."""
    x = np.random.default_rng(3).standard_normal((rows, n))
    out = np.empty((n, n))
    return lambda: np.matmul(x.T, x, out=out), rows * n * (n + 1)


def cholesky(n):
    """Units are flops."""
    x = np.random.default_rng(4).standard_normal((2 * n, n))
    a = x.T @ x
    return lambda: np.linalg.cholesky(a), n**3 / 3
