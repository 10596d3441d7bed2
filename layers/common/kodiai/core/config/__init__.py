"""A repository's own settings, from `.kodiai.yml` on its base branch."""

from kodiai.core.config.keys import (
    BudgetConfig,
    Config,
    ConversationConfig,
    KnowledgeConfig,
    LabelsConfig,
    MentionConfig,
    ProposalsConfig,
    RetrievalConfig,
    ReviewConfig,
    SettingsFile,
    SeverityConfig,
    SharingConfig,
    TriggersConfig,
)
from kodiai.core.config.read import CONFIG_PATH, read_config

__all__ = [
    "CONFIG_PATH",
    "BudgetConfig",
    "Config",
    "ConversationConfig",
    "KnowledgeConfig",
    "LabelsConfig",
    "MentionConfig",
    "ProposalsConfig",
    "RetrievalConfig",
    "ReviewConfig",
    "SettingsFile",
    "SeverityConfig",
    "SharingConfig",
    "TriggersConfig",
    "read_config",
]
