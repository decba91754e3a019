"""Load the draws of all models into ArviZ and summarise them.

    pip install confluent-kafka pyarrow arviz
    python summarise_draws.py --brokers 127.0.0.1:9092 --topic posteriors.draws

Prints CSV, one line per key and variable. What load() returns is what ArviZ's
plots take: an InferenceData, from ArviZ 1 on a DataTree.
"""

import argparse
import csv
import sys
import warnings

import numpy as np
import pyarrow as pa
import xarray as xr
from scipy.stats import norm, rankdata

from topics import newest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # ArviZ 0.x announces ArviZ 1
    import arviz as az


def load(value):
    """The draws of one message, as ArviZ has them: chain by draw."""
    table = pa.ipc.open_stream(value).read_all()
    chain, iteration = table[".chain"].to_numpy(), table[".iteration"].to_numpy()
    table = table.take(np.lexsort((iteration, chain)))
    chains = len(np.unique(chain))  # all of the same length
    draws = {
        name: (("chain", "draw"), table[name].to_numpy().reshape(chains, -1))
        for name in table.column_names
        if name not in (".chain", ".iteration", ".draw")
    }
    convert = getattr(az, "convert_to_datatree", None) or az.convert_to_inference_data
    return convert(xr.Dataset(draws))


def summarise(data):
    """Yields (variable, statistics), computed as Credence does.

    az.summary is for people: it rounds, and from ArviZ 1 on takes its ess_tail
    at the ends of an 89 % interval where Credence, R's posterior and Stan take
    the 5 % and 95 % quantiles.
    """
    draws = getattr(data.posterior, "dataset", data.posterior)
    statistics = {
        "mean": draws.mean(),
        "sd": draws.std(ddof=1),
        "mcse_mean": az.mcse(draws, method="mean"),
        "ess_bulk": az.ess(draws, method="bulk"),
        "ess_tail": az.ess(draws, method="tail", prob=(0.05, 0.95)),
        "r_hat": r_hat(draws),
    }
    for variable in draws:
        yield variable, {name: float(values[variable]) for name, values in statistics.items()}


def r_hat(draws):
    """Rank-normalised split R-hat. It compares the halves of each chain, so
    that one chain will do, but az.rhat(method="rank") asks for two."""
    if draws.sizes["chain"] > 1:
        return az.rhat(draws, method="rank")
    return {variable: r_hat_of_one(draws[variable].values[0]) for variable in draws}


def r_hat_of_one(chain):
    half = len(chain) // 2
    folded = abs(chain - np.median(chain))
    return max(
        float(az.rhat(normal_scores(np.stack([x[:half], x[-half:]])), method="identity"))
        for x in (chain, folded)
    )


def normal_scores(x):
    ranks = rankdata(x).reshape(x.shape)
    return norm.ppf((ranks - 3 / 8) / (x.size + 1 / 4))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--brokers", required=True)
    p.add_argument("--topic", required=True)
    args = p.parse_args()
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["key", "variable", "mean", "sd", "mcse_mean", "ess_bulk", "ess_tail", "r_hat"])
    for key, value in sorted(newest(args.brokers, args.topic).items()):
        for variable, statistics in summarise(load(value)):
            out.writerow([key, variable, *statistics.values()])


if __name__ == "__main__":
    main()
