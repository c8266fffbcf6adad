-- Version 3: how far the words of instances are indexed, and which of those have others since.
-- The index itself (words) is made when somebody searches.
ALTER TABLE opened ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0; -- instances up to this number are
CREATE TABLE unindexed (no INTEGER PRIMARY KEY);
