"""The bundled sample: a small repository whose pull request has defects that we planted."""

from local.sample.planted import PlantedProblem
from local.sample.sample import Push, Sample, make_sample

__all__ = ["PlantedProblem", "Push", "Sample", "make_sample"]
