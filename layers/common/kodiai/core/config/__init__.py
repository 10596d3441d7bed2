"""A repository's own settings, from `.kodiai.yml` on the base branch and on the default branch."""

from kodiai.core.config.keys import (
    BudgetConfig,
    Config,
    LabelsConfig,
    Outsiders,
    ReviewConfig,
    SettingsFile,
    TriggersConfig,
)
from kodiai.core.config.read import CONFIG_PATH, BranchFile, read_config, read_settings

__all__ = [
    "CONFIG_PATH",
    "BranchFile",
    "BudgetConfig",
    "Config",
    "LabelsConfig",
    "Outsiders",
    "ReviewConfig",
    "SettingsFile",
    "TriggersConfig",
    "read_config",
    "read_settings",
]
