"""Credence in Python: data frames in, posteriors out.

``send`` cuts a data frame into shards and sends them to a topic, ``posteriors``
reads a topic of posteriors into a data frame, ``watch`` yields them as they come,
``draws`` gives them to ArviZ, and ``Client`` asks a running consumer over HTTP for
posteriors and predictions.
"""

from credence._draws import draws
from credence._frames import Library
from credence._http import Client, RequestError
from credence._kafka import BROKERS, BrokerError, DeliveryError
from credence._reading import Posterior, posteriors, watch
from credence._sending import Sent, send

__all__ = [
    "BROKERS",
    "BrokerError",
    "Client",
    "DeliveryError",
    "Library",
    "Posterior",
    "RequestError",
    "Sent",
    "draws",
    "posteriors",
    "send",
    "watch",
]
