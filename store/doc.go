// Package store is the interface between Turnstile and the tables that it keeps state in.
// Programs that use Turnstile do not need it; whoever writes a database for package
// embedded does, as module sqlite.
//
//   - [Store] holds histories and one [Record] for each instance. Its method Commit appends a
//     [Commit] in one write, on the condition that its event ids are free; [ErrConflict] says
//     that another writer was first.
//   - [Activities] holds what workers keep of running attempts: heartbeats, claims, permits of limits.
//   - [Keys] holds the keys of completion tokens.
//   - [Archive] takes the histories that are to be deleted.
//
// A call that fails with [ErrUnavailable] has changed nothing and may be repeated. The others are
// [ErrNotFound], [*TooLargeError] and [*CorruptError].
//
// Package store/dynamo implements it on DynamoDB, internal/store/memory in memory, and module
// sqlite on SQLite. Every implementation passes the suite of internal/store/storetest.
package store
