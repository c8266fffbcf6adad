-- Version 1.

-- An instance that has a history or a record. Without a record, and as a
-- tombstone, it has no status, name and list_key.
CREATE TABLE instances (
  no            INTEGER PRIMARY KEY,
  instance      TEXT NOT NULL UNIQUE,
  status        TEXT,
  name          TEXT,
  list_key      TEXT, -- when its life began, in milliseconds, '#' and the id
  custom_status BLOB,
  output        BLOB,
  record        TEXT  -- the other fields, JSON; NULL where there is no record
);
CREATE INDEX instances_by_time ON instances (list_key) WHERE list_key IS NOT NULL;
CREATE INDEX instances_by_status ON instances (status, list_key, name) WHERE list_key IS NOT NULL;
CREATE INDEX instances_by_name ON instances (name, list_key) WHERE list_key IS NOT NULL;

-- A search attribute of an instance. kind is s (string), n (number) or t (time,
-- in Unix milliseconds).
CREATE TABLE search (
  no       INTEGER NOT NULL,
  name     TEXT NOT NULL,
  kind     TEXT NOT NULL,
  value    NOT NULL,
  list_key TEXT NOT NULL,
  PRIMARY KEY (no, name)
) WITHOUT ROWID;
CREATE INDEX search_by_value ON search (name, kind, value, list_key);

-- A turn: the events that one commit appended to the history of an execution.
-- They stand apart from their index so that what is committed together stands
-- together, whichever instances it is of.
CREATE TABLE turns (
  no        INTEGER NOT NULL,
  execution INTEGER NOT NULL,
  first     INTEGER NOT NULL,
  marks     INTEGER NOT NULL, -- 1: messaged, 2: parked
  token     TEXT NOT NULL,
  cancelled TEXT,             -- event ids with a space between them
  events    BLOB NOT NULL     -- as package history encodes them
);
CREATE UNIQUE INDEX turns_by_slot ON turns (no, execution, first);

-- A message. How long it is in flight is not kept.
CREATE TABLE messages (
  queue      TEXT NOT NULL,
  seq        INTEGER NOT NULL, -- the order of sending
  id         TEXT NOT NULL,
  body       TEXT NOT NULL,
  grp        TEXT,
  dedup_id   TEXT,
  received   INTEGER NOT NULL,
  sent_ns    INTEGER NOT NULL,
  due_ns     INTEGER,          -- of one that was sent with a delay
  attributes TEXT,             -- JSON
  sender     TEXT,
  PRIMARY KEY (queue, seq)
) WITHOUT ROWID;

-- Deduplication ids of FIFO queues: those of one transaction in a row, a line
-- each: group, id, message id, until when in nanoseconds.
CREATE TABLE remembered (
  until_ns INTEGER NOT NULL, -- of the last line
  queue    TEXT NOT NULL,
  ids      TEXT NOT NULL,
  PRIMARY KEY (until_ns, queue)
) WITHOUT ROWID;

CREATE TABLE schedules (
  name    TEXT PRIMARY KEY,
  created INTEGER NOT NULL, -- the order of creation
  due_ns  INTEGER NOT NULL,
  body    TEXT NOT NULL,
  grp     TEXT
) WITHOUT ROWID;

-- What activity workers keep of an activity.
CREATE TABLE activities (
  instance       TEXT NOT NULL,
  execution      INTEGER NOT NULL,
  event          INTEGER NOT NULL,
  expires_ms     INTEGER NOT NULL,
  stop           INTEGER NOT NULL DEFAULT 0,
  stop_reason    TEXT,
  beat_attempt   INTEGER,
  beat_ms        INTEGER,
  beat_details   BLOB,
  beat_codec     TEXT,
  claim_attempt  INTEGER,
  claim_token    TEXT,
  claim_until_ms INTEGER, -- NULL: the attempt is over
  suspect        INTEGER,
  suspect_deaths INTEGER,
  suspect_ms     INTEGER,
  next_attempt   INTEGER,
  next_due_ms    INTEGER,
  next_noted_ms  INTEGER,
  next_kind      TEXT,
  next_message   TEXT,
  PRIMARY KEY (instance, execution, event)
) WITHOUT ROWID;
CREATE INDEX activities_by_expiry ON activities (expires_ms);

-- Keys of completion tokens.
CREATE TABLE keys (
  id     TEXT PRIMARY KEY,
  secret BLOB NOT NULL
) WITHOUT ROWID;

-- One row: how often the database was opened, whether whoever had it last has
-- closed it, and a number that changes where a transaction has to reach the
-- disk that has nothing else to write.
CREATE TABLE opened (
  times  INTEGER NOT NULL,
  closed INTEGER NOT NULL,
  synced INTEGER NOT NULL
);
INSERT INTO opened VALUES (0, 1, 0);
