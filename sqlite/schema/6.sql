-- Version 6: the answers to updates.
CREATE TABLE answers (
  instance     TEXT NOT NULL,
  start_id     TEXT NOT NULL,
  update_id    TEXT NOT NULL,
  execution_id INTEGER NOT NULL, -- 0: its event is in no history
  event_id     INTEGER NOT NULL,
  open         INTEGER NOT NULL, -- 1: a later answer replaces it
  document     BLOB NOT NULL,    -- the event, as package history encodes it
  expires_at   INTEGER NOT NULL, -- Unix seconds
  PRIMARY KEY (instance, start_id, update_id)
) WITHOUT ROWID;
CREATE INDEX answers_by_expiry ON answers (expires_at);
