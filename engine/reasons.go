package engine

import "strings"

// If the code gives a reason when it cancels an operation, the activity or child outside receives
// the reason. The reason is not part of the history. It is sent with the request, and stored with
// the turn so that it can be sent again.
const (
	maxReason  = 1 << 10 // bytes of one reason
	maxReasons = 8 << 10 // bytes of all distinct reasons of a run
)

// noteReason keeps the reason for cancelling an operation that is running outside, if
// there is room.
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

// cancelReasons returns the reasons for the operations that this run cancelled, or nil if
// there are none. It excludes operations of a round that was rolled back.
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

// ReasonsBoth merges the reasons of a run and of the run after it.
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
