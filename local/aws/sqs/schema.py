"""The tables in which queues and their messages are kept."""

# visible_at, sent_at and the like are seconds since the epoch. A message whose visible_at lies ahead is in flight
# when it has a receipt and delayed when it has none. A lane is the group id of a FIFO message, else NULL.
SCHEMA = """
CREATE TABLE IF NOT EXISTS queues (
    name TEXT PRIMARY KEY, attributes TEXT NOT NULL, tags TEXT NOT NULL,
    created REAL NOT NULL, modified REAL NOT NULL, purged REAL NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS messages (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, message_id TEXT NOT NULL,
    body TEXT NOT NULL, attributes TEXT NOT NULL, system_attributes TEXT NOT NULL,
    lane TEXT, group_id TEXT, deduplication_id TEXT, source_arn TEXT,
    sent_at REAL NOT NULL, visible_at REAL NOT NULL, first_received_at REAL,
    receive_count INTEGER NOT NULL DEFAULT 0, received_elsewhere INTEGER NOT NULL DEFAULT 0, receipt TEXT
);
CREATE INDEX IF NOT EXISTS messages_in_order ON messages (queue, sequence);
CREATE INDEX IF NOT EXISTS messages_by_time ON messages (queue, visible_at);
CREATE INDEX IF NOT EXISTS messages_by_lane ON messages (queue, lane, visible_at) WHERE lane IS NOT NULL;
CREATE INDEX IF NOT EXISTS messages_by_age ON messages (queue, sent_at);
CREATE TABLE IF NOT EXISTS sends (
    queue TEXT NOT NULL, scope TEXT NOT NULL, deduplication_id TEXT NOT NULL,
    message_id TEXT NOT NULL, sequence INTEGER NOT NULL, sent_at REAL NOT NULL,
    PRIMARY KEY (queue, scope, deduplication_id)
);
CREATE INDEX IF NOT EXISTS sends_by_time ON sends (sent_at);
CREATE TABLE IF NOT EXISTS attempts (
    queue TEXT NOT NULL, attempt TEXT NOT NULL, sequence INTEGER NOT NULL, receipt TEXT NOT NULL,
    made_at REAL NOT NULL, PRIMARY KEY (queue, attempt, sequence)
);
CREATE INDEX IF NOT EXISTS attempts_by_receipt ON attempts (receipt);
CREATE TABLE IF NOT EXISTS move_tasks (
    number INTEGER PRIMARY KEY AUTOINCREMENT, handle TEXT NOT NULL, source TEXT NOT NULL, destination TEXT,
    status TEXT NOT NULL, moved INTEGER NOT NULL, to_move INTEGER NOT NULL, started REAL NOT NULL,
    rate INTEGER, failure TEXT
);
"""
