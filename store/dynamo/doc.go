// Package dynamo is the store on DynamoDB. It uses four tables, which TableDefinitions describes;
// template.yaml creates them in production, and CreateTables for tests and local use.
//
// # history
//
// One item holds one turn. Keys:
//
//	execution  S  execution number, "#", instance: "1#order-7". The number has
//	              no "#", so no two executions share a key, whatever the
//	              instance is called.
//	event_id   N  the turn's first event: its slot.
//
// Attributes:
//
//	events     S  the history document (history.Encode), readable in a
//	              console, with payload bytes as they were given; or
//	           B  the same with gzip, if it is long and becomes shorter.
//	token      S  identifies the append: Turn.Token.
//	digest     S  128 bits of SHA-256 over the turn, base64: Turn.Digest.
//	messaged   BOOL  the turn begins with an event from a message. Absent: no.
//	parked     BOOL  its last events were recorded without running the code.
//	cancelled  S  the scheduling events it cancelled: "2,5,9". Absent: none.
//	reasons    S  why, if the code gave a reason: {"too late":[2,5]}. Absent: none.
//
// A turn over the limit of an item (400 KB) is split into several items at the boundaries of
// events. Each item is in the slot of its own first event. They have three more attributes:
//
//	part, parts  N  this is part 1…parts of parts.
//	turn         N  the slot of the whole turn: event_id of part 1.
//
// Each part has the token and the digest of the whole turn; only part 1 has messaged, parked and
// cancelled. A Query during a transaction may find only some of its items. If parts are missing at
// the end of a history, the turn does not count as stored yet, and Read does not return the parts.
//
// The answers to the updates of an instance (store.Answers) are in this table too, one item each, under
// the key of an execution 0, which no instance has: "0#order-7". event_id is a number of up to 37 digits:
// SHA-256 of the length of the start id, ":", the start id and the id of the update, modulo 10^37. Their
// attributes:
//
//	start_id, update_id  S  the update.
//	execution_id         N  the execution with the event. 0: the event is in no history.
//	answer_event_id      N  its event id. A put is conditional on an earlier event in these two.
//	events               S or B  the event, as in the item of a turn.
//	expires_at           N  Unix seconds; the TTL attribute. Items of turns do not have it.
//
// # Commits
//
// A turn in one item without a change of the record is one PutItem under the condition
// attribute_not_exists(execution): this slot is free. Everything else is one TransactWriteItems of such
// puts and the change of the record. If the condition fails, the item found (ALL_OLD) decides: an equal
// token and digest mean that an attempt whose response was lost has already made this append; anything else
// is a conflict. The SDK's retries are disabled for writes, because they hide that an earlier attempt may
// have succeeded. The store repeats the identical request itself, with jitter.
//
// # instances
//
// One item is the record of one instance, a projection of its history, written in the transaction
// of the turn that changes it. Key: instance (S). Attributes have the names of the fields of
// store.Record: execution_id, start_id, name, version, status, created_at, updated_at, ended_at (N,
// Unix milliseconds), first_execution, states, states_codec, output, codec, failure, parent,
// problem, awaits (S, JSON), suspect, dispatched, looped_at (N), unreported, stamp, forked (N),
// forks, skipped (S, JSON), reserved (S, number and start id), purged (BOOL: a tombstone, which
// keeps only instance, execution_id, start_id, reserved and free_at (N)). free_at is when the id
// can be reused. It is compared with a clock and is not a TTL, because the numbers of executions
// continue from the tombstone. Zero values are absent. states and output are S as they are, or B
// with gzip, if they are long or not text. change (S) identifies the last change made without a
// turn, so that the writer of that change recognizes it.
//
// Three indexes serve lists. They hold only keys, so that a turn that changes neither status nor
// execution costs no index write; the records listed are read from the table itself, strongly
// consistent:
//
//	by_time    all_shard     "3"            list_key
//	by_status  status_shard  "stuck#3"      list_key
//	by_name    name_shard    "Fulfil#3"     list_key
//
// list_key (S) is Record.ListKey: the start in milliseconds, "#", instance. A shard is one of
// Config.Shards (8 to 64), by a hash of the instance, so that no index partition receives more than its
// share of the writes: a throttled index throttles its table. List merges the shards, newest first.
// Indexes are eventually consistent: a record that has just changed may be listed a moment late, but
// never under a status that it no longer has.
//
// The item U+001F "index_shards" has the largest number of shards that was ever used for writing
// (shards, N; absent: 8). A writer with more than 8 records its number before its first write; a list
// reads the number, and then each shard.
//
// # Search attributes
//
// The record has one attribute for each search attribute: search.customer (S), with its type before
// the value: "s:c-1", "n:99.5", "t:2026-11-21T15:04:05.000Z". For each attribute, this table also
// has a separate item by which the instance is found. The transaction that changes the record puts
// or deletes that item:
//
//	instance    S  U+001F, name, U+001F, instance: the key does not depend on the
//	               value, so another value replaces the item.
//	name_shard  S  U+001F, name, "=", value, "#", shard
//	list_key    S  that of the record
//
// So these items are only in index by_name. A list by orchestration name never finds them, because
// names have no control characters. A list with an equality condition queries that index for the
// name and the value, and reads the records; all other conditions are checked in the records that a
// list reads anyway.
//
// # activities
//
// One item holds the state that a worker needs of one activity. This is the only table that the activity
// function uses. Key: activity (S), execution number, "#", event, "#", instance: "1#2#order-7". stop_reason
// (S) exists if a stop was requested. expires_at (N, Unix seconds) is the TTL attribute. These are absent
// until they are set:
//
//	beat_attempt, beat_at_ms, beat_details, beat_codec   the last heartbeat
//	claim_attempt, claim_token, claim_until_ms           the claim of an attempt
//	suspect_attempt, suspect_deaths, suspect_until_ms    store.Suspect
//	next_attempt, next_due_ms, next_noted_ms,
//	next_kind, next_message                              the attempt that follows
//
// Items of execution 0 do not belong to activities. Two kinds of them describe builds: "0#0#builds"
// lists all builds, with an attribute "since/", what it serves, "/", its id (N, Unix milliseconds) for
// each; "0#0#build/", what it serves, "/", its id holds a build's catalog (S or B). They do not expire.
//
// # keys
//
// One item is one key of tokens: key_id (S), secret (B, 32 random bytes).
//
// # Limits
//
// 400 KB for an item, 100 items and 4 MB for a transaction. All are checked before any write:
// *store.TooLargeError. One event with a payload of 256 KiB always fits.
package dynamo
