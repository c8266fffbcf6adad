-- Version 2: of failed attempts of an activity, when they began and what made them, and
-- those before the last one.
ALTER TABLE activities ADD COLUMN next_started_ms INTEGER;
ALTER TABLE activities ADD COLUMN next_request TEXT;
ALTER TABLE activities ADD COLUMN earlier TEXT; -- JSON
