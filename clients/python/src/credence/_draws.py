"""Draws for ArviZ."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa

from credence._kafka import BROKERS, Settings
from credence._reading import once


def draws(topic: str, *, brokers: str = BROKERS, key: str | None = None, config: Settings | None = None) -> Any:
    """The newest draws of each key, as ArviZ has them: an InferenceData, from ArviZ 1 on a DataTree.

    ``topic`` is ``<kafka.output>.draws``, which a consumer writes where a model has
    ``publish: {draws: true}``. With ``key`` what is returned is that key's; without, a dict by key.
    Raises KeyError where the topic has none of the key.
    """
    values: dict[str, bytes | None] = {}
    for message in once(topic, brokers=brokers, key=key, until_end=True, config=config):
        values[message.key().decode()] = message.value()
    found = {name: inference_data(value) for name, value in values.items() if value is not None}
    if key is None:
        return found
    if key not in found:
        raise KeyError(f"{topic} has no draws of {key!r}: does its model publish them (publish: {{draws: true}})?")
    return found[key]


def inference_data(stream: bytes) -> Any:
    """The draws of one message, chain by draw."""
    import numpy as np
    import xarray as xr

    table = pa.ipc.open_stream(io.BytesIO(stream)).read_all()
    chain, iteration = table[".chain"].to_numpy(), table[".iteration"].to_numpy()
    table = table.take(np.lexsort((iteration, chain)))
    chains = len(np.unique(chain))  # all of one length
    data = xr.Dataset(
        {
            name: (("chain", "draw"), table[name].to_numpy().reshape(chains, -1))
            for name in table.column_names
            if name not in (".chain", ".iteration", ".draw")
        }
    )
    import arviz as az

    convert = getattr(az, "convert_to_datatree", None) or az.convert_to_inference_data
    return convert(data)
