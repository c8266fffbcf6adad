// Package sqlite keeps everything that a runtime of package embedded needs
// in one SQLite database, so that it outlives the process: histories and
// records, messages, timers, what activity workers keep, and the keys of
// completion tokens.
//
//	db, err := sqlite.Open("data")
//	...
//	defer db.Close()
//	env, err := embedded.New(app, embedded.WithDatabase(db))
//
// It is for one machine: one process has the database at a time, and everything
// runs in that process. A second one is refused with a *LockedError; the lock is
// the system's and ends with the process, however that ends.
//
// # What is kept
//
// A start, an event or any other message that a client has sent is durable when
// the call returns, and so is each turn before anything follows from it. With
// Full, the default, that means on the disk; with Normal, with the operating
// system: see Level.
//
// A process may be killed at any moment. The next one goes on where it was:
// messages that were being handled are visible again at once and count as
// received once more, timers that are due fire, and attempts of activities that
// were under way are made again, or, if they run at most once, count as
// interrupted.
//
// When the disk is full, what is asked for fails with ErrFull, nothing is lost,
// and it goes on by itself when there is space.
//
// # How it writes
//
// Queues and timers work in memory, so that nothing polls; what has to outlive
// the process is written in the order in which it happened, one transaction
// after the other, each with all that has come together meanwhile: many instances
// share one fsync. A crash loses the end of these writes and nothing before it. Messages
// and timers that are not done are in memory all the time: reckon with 1 KB and
// the payload for each.
//
// # The files
//
// The database is turnstile.db in its directory, made for this user alone.
// turnstile.db-wal and turnstile.db-shm belong to it while they are there.
// Backup copies it while it runs; a plain copy of the directory is good while no
// process has it. Any SQLite tool may read it at any time, and none may write to
// it.
//
// Nothing is deleted unless it is purged (Purge of the client), and then the file does not
// shrink, because its pages are used again: VACUUM shrinks it while no process has it open.
package sqlite
