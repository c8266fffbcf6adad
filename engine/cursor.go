package engine

// cursor is rule 1: it visits every event once, in order; a claim position
// runs ahead of it, inside the answers of the current round only. Both only
// move forward. Nothing searches through history.
type cursor struct {
	// next is the index of the next event to visit.
	next int
	// visiting is the event id being visited, 0 between visits.
	visiting int64
	// known is the index behind the last arrival that the history had before the
	// code ran for the one being visited: those behind it that came with it.
	known int
	// claim is the index of the next unclaimed scheduling event of the
	// current round; claimEnd the index behind the last of them.
	claim, claimEnd int
	// scheduled is the id of the last scheduling event claimed or appended.
	scheduled int64
	// live is set while the current round has no answers yet: operations are
	// appended, not claimed.
	live bool
}
