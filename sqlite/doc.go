// Package sqlite stores all state of a runtime of package embedded in one SQLite database, so that it
// survives the process: histories and records, messages, timers, the records of activity workers, and
// the keys of completion tokens.
//
//	db, err := sqlite.Open("data")
//	...
//	defer db.Close()
//	env, err := embedded.New(app, embedded.WithDatabase(db))
//
// It is for one machine: only one process has the database open at a time, and everything runs in that
// process. A second process gets a *LockedError. The operating system holds the lock and releases it
// when the process ends for any reason.
//
// # Durability
//
// A start, an event or any other message that a client has sent is durable when the call returns, and
// each turn is durable before its messages are sent or its activities start. With Full, the default,
// durable means written to the disk; with Normal, handed to the operating system: see Level.
//
// A process may be killed at any moment. The next process continues where it stopped. Messages that
// were being processed are immediately visible again and count as received once more, and due
// timers fire. Attempts of activities that were in progress run again or, if they run at most once,
// count as interrupted.
//
// When the disk is full, calls fail with ErrFull. Nothing is lost, and work continues by itself when
// there is space.
//
// # How it writes
//
// Queues and timers work in memory, so nothing polls. State that must survive the process is
// written in order, one transaction after another. Each transaction has all changes that arrived
// during the previous one, so many instances share one fsync. A crash loses only the last of these
// writes. All pending messages and timers are in memory; each takes about 1 KB plus its payload.
//
// # The files
//
// The database is turnstile.db in its directory, created for this user only. If turnstile.db-wal and
// turnstile.db-shm exist, they belong to it. Backup copies the database while it is in use; a plain
// copy of the directory is valid only while no process has it open. You may read the database with any
// SQLite tool at any time, but never write to it.
//
// Instances are deleted only by a purge (Purge of the client, or retention). Purging does not shrink
// the file, because its pages are reused. VACUUM shrinks it while no process has it open.
package sqlite
