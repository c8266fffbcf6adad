// Package engine is the replay core: a function from code, history, arrivals,
// time and random values to new events. It does no I/O, reads no clock, and
// imports only the standard library and history.
//
// An Execution is fed recorded events and then run with arrivals. What comes
// out is one value, a Turn: the events to commit, what they cancelled, a
// verdict for each arrival, and how the execution stands. A cold replay is the
// same thing fed from event 1; an Execution may also be kept between turns and
// fed what is new.
//
// The rules it keeps are numbered as in docs/design.md; each stands in a file
// of its own name: cursor.go (1), round.go (2 and 4), claim.go (3), deliver.go
// and ledger.go (5), order.go (6), external_event.go (7), select.go (8),
// strict.go (9), coroutine.go (10), stuck.go (11), imposed.go (12),
// continue_as_new.go (13).
package engine
