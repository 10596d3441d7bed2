"""The settings of a repository, from `.kodiai.yml` on the base branch, on the default branch, and of its owner."""

from kodiai.core.config.keys import (
    BudgetConfig,
    Config,
    Instruction,
    LabelsConfig,
    Outsiders,
    ReviewConfig,
    SettingsFile,
    TriggersConfig,
)
from kodiai.core.config.read import (
    CONFIG_PATH,
    OWNER_REPOSITORY,
    BranchFile,
    OwnerFile,
    misnamed,
    misnamed_problem,
    read_config,
    read_settings,
)

__all__ = [
    "CONFIG_PATH",
    "OWNER_REPOSITORY",
    "BranchFile",
    "BudgetConfig",
    "Config",
    "Instruction",
    "LabelsConfig",
    "Outsiders",
    "OwnerFile",
    "ReviewConfig",
    "SettingsFile",
    "TriggersConfig",
    "misnamed",
    "misnamed_problem",
    "read_config",
    "read_settings",
]
