"""A repository's own settings, from `.kodiai.yml` on its base branch."""

from kodiai.core.config.keys import BudgetConfig, Config, LabelsConfig, ReviewConfig, SettingsFile, TriggersConfig
from kodiai.core.config.read import CONFIG_PATH, read_config

__all__ = [
    "CONFIG_PATH",
    "BudgetConfig",
    "Config",
    "LabelsConfig",
    "ReviewConfig",
    "SettingsFile",
    "TriggersConfig",
    "read_config",
]
