package main

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// After a rollback past a patch each view says that the instance waits for a build that has it.
func TestEachViewReportsARollbackPastAPatch(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put(store.Record{Instance: "order-1", ExecutionID: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch.Add(-time.Hour), UpdatedAt: epoch.Add(-time.Minute),
		Awaits: &store.Problem{Kind: "patch", Patch: "refunds", Message: "history has SystemCall", SinceMS: epoch.Add(-time.Minute).UnixMilli(), NextMS: epoch.Add(time.Hour).UnixMilli()}})
	const says = `waits for a build that agrees about patch "refunds"`
	for _, args := range [][]string{{"describe", "order-1"}, {"list"}, {"doctor"}} {
		if r := b.run(args...); !strings.Contains(r.out, says) {
			t.Errorf("%q says\n%s%s", args, r.out, r.err)
		}
	}
}
