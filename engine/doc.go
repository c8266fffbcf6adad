// Package engine is the replay core: a function from code, history, arrivals, time and
// random values to new events. It does no I/O, reads no clock, and imports only packages
// that do neither.
//
// An Execution is fed recorded events and then run with arrivals. The result of a run is
// a Turn: the events to commit, the operations that they cancelled, a verdict for each
// arrival, and the state of the execution. In a cold replay, the Execution is fed from
// event 1. It can also be kept between turns and fed the events that are new.
//
// Its rules are numbered as in docs/design.md. Each rule is in the file named after it:
// cursor.go (1), round.go (2 and 4), claim.go (3), deliver.go and ledger.go (5), order.go
// (6), external_event.go (7), select.go (8), strict.go (9), coroutine.go (10), stuck.go
// (11), forced.go (12), continue_as_new.go (13), suspend.go (14).
package engine
