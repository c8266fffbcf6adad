-- Version 5: an instance shows several states, by name. What was its custom
-- status is the state "status"; one that a codec has encoded is shown again when
-- it changes.
ALTER TABLE instances RENAME COLUMN custom_status TO states;
UPDATE instances SET states = CASE WHEN record LIKE '%"codec":%' THEN NULL
  ELSE CAST('{"status":{"value":' || CAST(states AS TEXT) || '}}' AS BLOB) END
WHERE states IS NOT NULL;
