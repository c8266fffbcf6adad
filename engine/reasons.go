package engine

import "strings"

// A cancellation whose reason the code gave tells it to what is stopped outside.
// The reason is no part of the history: it goes out with the request, and is kept
// beside the turn so that it can be sent again.
const (
	maxReason  = 1 << 10 // bytes of one reason
	maxReasons = 8 << 10 // of all reasons of a run, each counted once
)

// noteReason keeps the reason for which an operation that something outside
// works at was cancelled, as far as there is room.
func (x *Execution) noteReason(f *Future, cause *CancelledError) {
	if !x.run.given || cause.Reason == "" || f.inline || f.id == 0 || !x.cursor.live {
		return
	}
	reason := cause.Reason
	if len(reason) > maxReason {
		reason = reason[:maxReason]
	}
	reason = strings.ToValidUTF8(reason, "")
	if !x.run.reasonTexts[reason] {
		if x.run.reasonBytes+len(reason) > maxReasons {
			return
		}
		x.run.reasonBytes += len(reason)
		if x.run.reasonTexts == nil {
			x.run.reasonTexts, x.run.reasons = map[string]bool{}, map[int64]string{}
		}
		x.run.reasonTexts[reason] = true
	}
	x.run.reasons[f.id] = reason
}

// cancelReasons are the reasons of what this run cancelled, nil for none. What a
// round cancelled before it was taken back is not among it.
func (x *Execution) cancelReasons() map[int64]string {
	if len(x.run.reasons) == 0 {
		return nil
	}
	var all map[int64]string
	for _, id := range x.run.cancelled {
		if reason, ok := x.run.reasons[id]; ok {
			if all == nil {
				all = map[int64]string{}
			}
			all[id] = reason
		}
	}
	return all
}

// ReasonsBoth are the reasons of a run and of one behind it.
func ReasonsBoth(first, second map[int64]string) map[int64]string {
	if len(first) == 0 {
		return second
	}
	both := make(map[int64]string, len(first)+len(second))
	for id, reason := range first {
		both[id] = reason
	}
	for id, reason := range second {
		both[id] = reason
	}
	return both
}
