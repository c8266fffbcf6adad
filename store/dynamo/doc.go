// Package dynamo is the store on DynamoDB. It uses four tables; production
// creates them from template.yaml, tests and local use with CreateTables, both
// as TableDefinitions says.
//
// # history
//
// One item holds one turn. Keys:
//
//	execution  S  execution number, "#", instance: "1#order-7". The number has
//	              no "#", so that no two executions share a key, whatever the
//	              instance is called.
//	event_id   N  the turn's first event: its slot.
//
// Attributes:
//
//	events     S  the history document (history.Encode), readable in a
//	              console, payload bytes as they were given; or
//	           B  the same, gzip: when it is long and becomes shorter so.
//	token      S  names the append: Turn.Token.
//	digest     S  128 bits of SHA-256 over the turn, base64: Turn.Digest.
//	messaged   BOOL  the turn begins with an arrival from a message. Absent: no.
//	parked     BOOL  its last arrivals were recorded without running the code.
//	cancelled  S  the scheduling events it cancelled: "2,5,9". Absent: none.
//	reasons    S  why, where the code gave a reason: {"too late":[2,5]}. Absent: none.
//
// A turn over the limit of an item (400 KB) is split between events into
// several items, each in the slot of its own first event. They say so:
//
//	part, parts  N  this is part 1…parts of parts.
//	turn         N  the slot of the whole turn: event_id of part 1.
//
// Each part has token and digest of the whole turn; messaged, parked and
// cancelled stand in part 1 alone. A Query may meet a transaction half
// written: parts that are not complete, with nothing behind them, are not yet
// there, and Read does not return them.
//
// # Commits
//
// A turn in one item without a change of the record is one PutItem under the
// condition attribute_not_exists(execution): this slot is free. Everything
// else is one TransactWriteItems of such puts and the change of the record. If
// the condition fails, the item found (ALL_OLD) is looked at: equal token and
// digest mean that this append has been made already, by an attempt whose
// answer was lost; anything else is a conflict. The retries of the SDK are off
// for writes, for they hide that an attempt in front of the answer may have
// landed; the store repeats by itself, the identical request, with jitter.
//
// # instances
//
// One item is the record of one instance, a projection of its history, written
// in the transaction of the turn that changes it. Key: instance (S). Attributes
// have the names of the fields of store.Record: execution_id, start_id, name,
// version, status, created_at, updated_at, ended_at (N, Unix milliseconds),
// first_execution, custom_status, output, codec, failure, parent, problem (S,
// JSON), suspect, dispatched, looped_at (N), untold, stamp, ahead, forked (N), forks (S, JSON), purged (BOOL: a tombstone, which
// keeps instance, execution_id, start_id, ahead and free_at (N) alone).
// free_at is when the id may be started again. It is compared with a clock, and
// no TTL: the numbers of executions go on from the tombstone.
// Zero values are absent. custom_status and
// output are S as they are, or B, gzip, when they are long or not text. change
// (S) names the last change made without a turn, by which its writer
// recognises it.
//
// Three indexes serve lists; they hold keys alone, so that a turn that changes
// neither status nor execution costs no index write, and the records listed
// are read from the table itself, strongly consistent:
//
//	by_time    all_shard     "3"            list_key
//	by_status  status_shard  "stuck#3"      list_key
//	by_name    name_shard    "Fulfil#3"     list_key
//
// list_key (S) is Record.ListKey: the start in milliseconds, "#",
// instance. A shard is one of Config.Shards (8 to 64), by a hash of the instance, so
// that no index partition takes more than its share of the writes: a throttled
// index throttles its table. List merges the shards, newest first. Indexes are
// eventually consistent: a record that has just changed may be listed a moment
// late, but never under a status that it no longer has.
//
// The item U+001F "index_shards" has the largest number of shards that anything was
// written with (shards, N; absent: 8). Who writes with more than 8 notes that ahead
// of its first write; a list reads it, and then each shard.
//
// # Search attributes
//
// They stand in the record, one attribute each: search.customer (S), with its
// type before the value: "s:c-1", "n:99.5", "t:2026-11-21T15:04:05.000Z". Each has
// an item of its own in this table by which the instance is found, put or
// deleted in the transaction of the record's change:
//
//	instance    S  U+001F, name, U+001F, instance: the key does not depend on the
//	               value, so that another value replaces the item.
//	name_shard  S  U+001F, name, "=", value, "#", shard
//	list_key    S  that of the record
//
// So these items are in index by_name alone, and no name of an orchestration
// leads to them, for none has a control character. A list with an equality asks
// that index for the name and the value, and reads the records; all other
// conditions are looked up in the records that a list reads anyway.
//
// # activities
//
// One item keeps what a worker needs of one activity; the only table that the
// activity function touches. Key: activity (S), execution number, "#", event,
// "#", instance: "1#2#order-7". stop_reason (S) is there when a stop was asked
// for. expires_at (N, Unix seconds) is the TTL attribute. Each is absent until
// there is one:
//
//	beat_attempt, beat_at_ms, beat_details, beat_codec   the last heartbeat
//	claim_attempt, claim_token, claim_until_ms           the claim of an attempt
//	suspect_attempt, suspect_deaths, suspect_until_ms    store.Suspect
//	next_attempt, next_due_ms, next_noted_ms,
//	next_kind, next_message                              the attempt that follows
//
// Items of execution 0 belong to no activity. Two kinds are of builds: "0#0#builds"
// names all of them, with an attribute "since/", what it serves, "/", its id (N, Unix
// milliseconds) for each; "0#0#build/", what it serves, "/", its id holds its catalog
// (S or B). They do not expire.
//
// # keys
//
// One item is one key of tokens: key_id (S), secret (B, 32 random bytes).
//
// # Limits
//
// 400 KB an item, 100 items and 4 MB a transaction, all checked before any
// write: *store.TooLargeError. One event with a payload of 256 KiB always
// fits.
package dynamo
