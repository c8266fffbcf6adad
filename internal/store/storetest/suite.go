package storetest

import (
	"testing"

	"github.com/turnstile-go/turnstile/store"
)

// Options are the abilities of a backend. Subtests that need a nil field are skipped, with a
// message.
type Options struct {
	// Open returns an empty store.
	Open func(t *testing.T) store.Store
	// Reopen returns another store on the data of s, like another process. Required.
	Reopen func(t *testing.T, s store.Store) store.Store
	// LoseAnswers returns a store on the data of s where each of the first n writes takes effect but
	// its response is lost. Required.
	LoseAnswers func(t *testing.T, s store.Store, n int) store.Store
	// Throttle returns a store on the data of s that is permanently throttled. Required.
	Throttle func(t *testing.T, s store.Store) store.Store
	// HalfWrite stores the turn as a reader may find it in the middle of the transaction that writes
	// it, with some parts and without others. It returns a function for each such state, and a last one
	// that stores the whole turn. Nil if the backend stores a turn in one piece.
	HalfWrite func(t *testing.T, s store.Store, turn store.Turn) []func()
}

// Run runs the suite for store.Store.
func Run(t *testing.T, o Options) {
	t.Helper()
	if o.Open == nil || o.Reopen == nil || o.LoseAnswers == nil || o.Throttle == nil {
		t.Fatal("storetest: Options needs Open, Reopen, LoseAnswers and Throttle")
	}
	for _, c := range []struct {
		name string
		run  func(*testing.T, Options)
	}{
		{"S-01 what is appended is read in order with its bytes", appendAndRead},
		{"S-02 an event id that exists is a conflict", appendConflict},
		{"S-03 of 32 appends at one event id one succeeds", appendRace},
		{"S-04 concurrent read-then-append loops are linearizable", appendLoops},
		{"S-05 an invalid turn is refused before any write", invalidTurns},
		{"S-06 turn and record change are written together or not at all", turnWithRecord},
		{"S-07 an own append is recognised after a lost answer", lostAnswer},
		{"S-08 a read from n gives exactly the events from n on", readFrom},
		{"S-09 five megabytes in 300 turns are read whole", readManyPages},
		{"S-10 a large turn is stored whole or refused", largeTurns},
		{"O-10 a number is reserved, and becomes current", reserves},
		{"S-11 an append is seen at once by another client", readYourWrites},
		{"S-12 instances and executions share nothing", noSharing},
		{"S-13 lists are newest first and exact", listing},
		{"search attributes find exactly who has them", searching},
		{"search attributes are written with their turn or not at all", searchWrites},
		{"S-14 hide and delete leave a tombstone only", purge},
		{"the last answer to an update is kept", answers},
		{"S-15 a fault is a typed error without effect", faults},
		{"S-16 a half-written turn is not seen", halfWritten},
		{"what Read did not find is confirmed by an isolated read", isolated},
		{"record conditions hold or fail as the interface says", recordConditions},
		{"record fields are kept as they were given", recordFields},
		{"random commits and changes behave as in a plain model", model},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, o)
		})
	}
}
