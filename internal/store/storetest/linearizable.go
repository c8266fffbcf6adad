package storetest

import "fmt"

// operation is one call as its caller saw it. begin and end are ticks of one logical clock: a call with
// end < begin of another had returned before the other one started.
type operation struct {
	kind       opKind
	begin, end int64
	// length is how many turns a read found, or how many turns an append expected to be stored before
	// it.
	length int
	// token of an append.
	token string
}

type opKind uint8

const (
	opRead opKind = iota
	opAppend
	opConflict
)

// linearizable returns an error unless the operations can be put in one order that respects real
// time. In this order, an append at n succeeds exactly when n turns are stored and conflicts when
// more are, and a read finds what is stored. final are the tokens stored in the end.
//
// For a log this needs no search. Let t(k) be the moment at which the k-th turn was stored. Each
// lower bound of t(k) is either known or t(k-1), and all upper bounds are ends of calls. So if any
// moments satisfy all bounds, the earliest ones that the lower bounds allow do.
func linearizable(final []string, ops []operation) error {
	appends := make(map[string]operation, len(ops))
	for _, op := range ops {
		if op.kind == opAppend {
			appends[op.token] = op
		}
		if op.kind == opRead && op.length > len(final) {
			return fmt.Errorf("a read found %d turns, but only %d are stored", op.length, len(final))
		}
		if op.kind == opConflict && op.length >= len(final) {
			return fmt.Errorf("an append after %d turns met a conflict, but only %d are stored", op.length, len(final))
		}
	}
	// after[k]: reads that found k turns started at this tick or earlier, so the next turn was stored
	// later.
	after := make([]int64, len(final)+1)
	for _, op := range ops {
		if op.kind == opRead {
			after[op.length] = max(after[op.length], op.begin)
		}
	}
	stored := make([]int64, len(final)+1) // stored[k]: earliest t(k); t(0) is 0
	for k := 1; k <= len(final); k++ {
		op, ok := appends[final[k-1]]
		if !ok {
			return fmt.Errorf("turn %d (%s) is stored twice, or although its append failed", k, final[k-1])
		}
		delete(appends, final[k-1])
		if op.length != k-1 {
			return fmt.Errorf("%s was appended after %d turns and is stored as turn %d", op.token, op.length, k)
		}
		stored[k] = max(op.begin, stored[k-1], after[k-1])
		if stored[k] > op.end {
			return fmt.Errorf("append %s (%d-%d) returned before it could have been stored (%d)", op.token, op.begin, op.end, stored[k])
		}
	}
	for token := range appends {
		return fmt.Errorf("append %s succeeded but was not stored", token)
	}
	for _, op := range ops {
		switch {
		case op.kind == opRead && stored[op.length] > op.end:
			return fmt.Errorf("a read (%d-%d) found turn %d, which can't have been stored before %d", op.begin, op.end, op.length, stored[op.length])
		case op.kind == opConflict && stored[op.length+1] > op.end:
			return fmt.Errorf("an append after %d turns (%d-%d) met a conflict with a turn that can't have been stored before %d", op.length, op.begin, op.end, stored[op.length+1])
		}
	}
	return nil
}
