-- Version 4: who asked for an attempt of an activity that failed.
ALTER TABLE activities ADD COLUMN next_actor TEXT;
