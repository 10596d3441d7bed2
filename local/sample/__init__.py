"""The bundled sample: a small repository whose pull request has defects that we planted."""

from local.sample.planted import Planted
from local.sample.sample import Push, Sample, make_sample

__all__ = ["Planted", "Push", "Sample", "make_sample"]
