// Package store is the interface between Turnstile and the tables in which it stores state. Programs
// that use Turnstile do not need it. A database for package embedded implements it, as module sqlite
// does.
//
//   - [Store] stores histories and one [Record] for each instance. Its method Commit appends a [Commit]
//     in one conditional write, which requires that the event ids do not exist yet. It returns
//     [ErrConflict] if another writer was first.
//   - [Activities] stores the workers' records of running attempts: heartbeats, claims, permits of
//     limits.
//   - [Keys] stores the keys of completion tokens.
//   - [Archive] receives the histories that are about to be deleted.
//
// A call that fails with [ErrUnavailable] has changed nothing and may be repeated. The other errors
// include [ErrNotFound], [*TooLargeError] and [*CorruptError].
//
// Package store/dynamo implements the interface on DynamoDB, internal/store/memory in memory, and
// module sqlite on SQLite. Every implementation passes the test suite of internal/store/storetest.
package store
