"""Bayesian linear regression over shards as one writes it with numpy."""

import math

import numpy as np

NORMAL = np.array([-1.959963984540054, -0.6744897501960817, 0.0, 0.6744897501960817, 1.959963984540054])


def t_quantiles(df):
    """Student's t at 2.5, 25, 50, 75 and 97.5 %, by the first terms of
    Cornish and Fisher's expansion."""
    z = NORMAL
    g1 = (z**3 + z) / 4
    g2 = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    return z + g1 / df + g2 / df**2


class Regression:
    """Normal coefficients of a common variance, estimated at the maximum of
    the evidence by MacKay's fixed point, and an unknown noise."""

    def __init__(self, p):
        self.gram, self.xy, self.yy, self.n = np.zeros((p, p)), np.zeros(p), 0.0, 0
        self.ridge = 1.0

    def absorb(self, x, y):
        self.gram += x.T @ x
        self.xy += x.T @ y
        self.yy += y @ y
        self.n += len(y)

    def summary(self):
        """Mean, standard deviation and quantiles, a row per coefficient."""
        values, vectors = np.linalg.eigh(self.gram)
        values = np.maximum(values, 0)
        z = vectors.T @ self.xy
        for _ in range(30):
            shrunk = 1 / (values + self.ridge)
            b = z * shrunk
            rss = max(self.yy - z @ b - self.ridge * (b @ b), 1e-12 * self.yy)
            effective = values @ shrunk
            sigma2 = rss / (self.n - effective)
            before, self.ridge = self.ridge, effective * sigma2 / (b @ b)
            if abs(self.ridge - before) < 1e-8 * before:
                break
        shrunk = 1 / (values + self.ridge)
        mean = vectors @ (z * shrunk)
        sd = np.sqrt(sigma2 * (vectors * vectors @ shrunk))
        quantiles = mean[:, None] + sd[:, None] * t_quantiles(self.n)
        self.predictive = mean, vectors * np.sqrt(sigma2 * shrunk), sigma2
        return mean, sd, quantiles

    def score(self, x, y):
        """The log density of rows that are not absorbed yet, by Student's t of
        the last summary."""
        mean, root, sigma2 = self.predictive
        scale = sigma2 + ((x @ root) ** 2).sum(axis=1)
        away, df, rows = (y - x @ mean) ** 2 / (self.n * scale), self.n, len(y)
        one = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - 0.5 * math.log(df * math.pi)
        return rows * one - 0.5 * np.log(scale).sum() - (df + 1) / 2 * np.log1p(away).sum()

    def state(self):
        return np.concatenate([self.gram.ravel(), self.xy, [self.yy, self.n, self.ridge]])

    def restore(self, state):
        p = len(self.xy)
        self.gram, self.xy = state[: p * p].reshape(p, p).copy(), state[p * p : -3].copy()
        self.yy, self.n, self.ridge = state[-3:]
