package resending

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/store"
)

// O-10: a resend does not read executions whose number was reserved but never became current: such
// an execution is an incomplete copy without the OrchestrationRedriven event that would hold back
// its open operations.
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

// M-06: a message from the dead-letter queue names the execution in which its turn began, although
// the instance has had hundreds of executions since.
func TestEverythingReachesTheExecutionThatAMessageNames(t *testing.T) {
	t.Parallel()
	for since, want := range map[int64][2][2]int64{
		0: {{200, 300}, {200, 300}}, 5: {{5, 104}, {200, 300}}, 150: {{150, 249}, {200, 300}}, 250: {{250, 300}, {250, 300}},
	} {
		view := &reading.View{Instance: "a", Record: &store.Record{Instance: "a", ExecutionID: 300, FirstExecution: 1}}
		read := map[int64]bool{}
		for {
			err := New(view, 300, time.Time{}, nil, func(int64) bool { return false }).Everything(since)
			unread, is := errors.AsType[*reading.Unread](err)
			if !is {
				break
			}
			read[unread.Execution] = true
			view.Answer(unread.Execution, nil)
		}
		for n := int64(1); n <= 300; n++ {
			if wanted := want[0][0] <= n && n <= want[0][1] || want[1][0] <= n && n <= want[1][1]; read[n] != wanted {
				t.Errorf("since %d: execution %d is read: %t", since, n, read[n])
			}
		}
	}
}
