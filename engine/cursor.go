package engine

// cursor implements rule 1: it visits every event once, in order. A claim position runs
// ahead of it, but only within the scheduling events of the current round. Both only move
// forward. The engine never searches through history.
type cursor struct {
	// next is the index of the next event to visit.
	next int
	// visiting is the id of the event being visited, 0 between visits.
	visiting int64
	// known is the index after the last arrival that was already in the history when the code ran
	// for the arrival being visited, because the two were recorded together.
	known int
	// claim is the index of the next unclaimed scheduling event of the current round;
	// claimEnd is the index after the last of them.
	claim, claimEnd int
	// scheduled is the id of the last scheduling event claimed or appended.
	scheduled int64
	// live is set if the current round has no scheduling events yet: operations are
	// appended, not claimed.
	live bool
}
