"""river's regressions; a task is a function as in with_numpy."""

import numpy as np
import pandas as pd
from river import linear_model


def _shard(p, n):
    rng = np.random.default_rng(5)
    x = rng.standard_normal((n, p))
    y = x @ np.full(p, 0.5) + rng.standard_normal(n)
    return pd.DataFrame(x, columns=[f"x{j}" for j in range(p)]), pd.Series(y, name="y")


def sgd(p, n):
    """A step of stochastic gradient descent: no posterior."""
    model, (x, y) = linear_model.LinearRegression(), _shard(p, n)
    return lambda: model.learn_many(x, y), 1


def bayes(p, n):
    """Coefficients with their covariance, noise and prior fixed."""
    model, (x, y) = linear_model.BayesianLinearRegression(), _shard(p, n)
    return lambda: model.learn_many(x, y), 1
