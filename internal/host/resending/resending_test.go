package resending

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/store"
)

// O-10: a resend reads no number that was reserved and never became current: what is stored there is
// an incomplete copy, whose open operations were never held back by an OrchestrationRedriven.
func TestAResendReadsNoNumberThatNeverBecameCurrent(t *testing.T) {
	t.Parallel()
	for name, gather := range map[string]func(*Resending) error{
		"everything": func(r *Resending) error { return r.Everything(0) },
		"current":    (*Resending).Current,
	} {
		view := &reading.View{Instance: "a", Record: &store.Record{Instance: "a", ExecutionID: 4, FirstExecution: 1, Skipped: []int64{2, 3}}}
		var read []int64
		for {
			err := gather(New(view, 4, time.Time{}, nil, func(int64) bool { return false }))
			unread, is := errors.AsType[*reading.Unread](err)
			if !is {
				break
			}
			read = append(read, unread.Execution)
			view.Answer(unread.Execution, nil)
		}
		if !slices.Equal(read, []int64{1, 4}) {
			t.Errorf("%s: executions %v are read", name, read)
		}
	}
}
