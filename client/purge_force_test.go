package client_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// calls is a queue that keeps the messages of each call, and refuses one of them.
type calls struct {
	queue.Queue
	made    [][]queue.Outgoing
	refused int
	history store.Store // of the same client
}

var errRefused = errors.New("refused")

func (q *calls) FIFO() bool { return true }

func (q *calls) Send(_ context.Context, msgs ...queue.Outgoing) error {
	q.made = append(q.made, slices.Clone(msgs))
	failed := map[int]error{}
	if q.refused >= 0 {
		failed[q.refused] = errRefused
	}
	return queue.Partial(failed, len(msgs))
}

func purger(t *testing.T, status store.Status, refused int) (*client.Client, *calls) {
	t.Helper()
	s := memory.New()
	q := &calls{refused: refused, history: s}
	record := store.Record{Instance: "a", ExecutionID: 1, FirstExecution: 1, StartID: "1", Name: "Main", Status: status, CreatedAt: epoch, UpdatedAt: epoch}
	if err := s.UpdateRecord(t.Context(), "a", store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &record, UpdatedAt: epoch}); err != nil {
		t.Fatal(err)
	}
	return ok[*client.Client](t)(client.New(client.Config{Queue: q, Store: s})), q
}

// O-04: a purge by force is a terminate, and a purge behind it in the same group, in one
// call; the purge keeps its force, for a history that turns out to be corrupt.
func TestO04APurgeByForceIsATerminateAndAPurge(t *testing.T) {
	t.Parallel()
	for _, status := range []store.Status{store.StatusRunning, store.StatusStuck, store.StatusCorrupt} {
		c, q := purger(t, status, -1)
		if err := c.WithActor("ada").Purge(t.Context(), "a", client.Force()); err != nil {
			t.Fatal(err)
		}
		if len(q.made) != 1 || len(q.made[0]) != 2 {
			t.Fatalf("%s: sent %v, want one call with two messages", status, q.made)
		}
		var items [2]wire.Item
		for i, m := range q.made[0] {
			items[i] = ok[wire.Item](t)(wire.Parse([]byte(m.Body)))
			if m.Group != wire.Group("a") || m.DedupID != wire.DedupID(&items[i]) || m.Unordered || items[i].Actor != "ada" || items[i].Instance != "a" {
				t.Errorf("%s: sent %+v", status, m)
			}
		}
		if end := items[0]; end.Kind != wire.TerminateInstance || end.Force || end.Reason != "purged" {
			t.Errorf("%s: the first is %+v, want a terminate", status, end)
		}
		if purge := items[1]; purge.Kind != wire.PurgeInstance || !purge.Force || purge.Reason != "" {
			t.Errorf("%s: the second is %+v, want a purge with force", status, purge)
		}
		if q.made[0][0].DedupID == q.made[0][1].DedupID {
			t.Errorf("%s: the queue takes the two for one", status)
		}
	}
}

// O-10: a reset is a terminate, and a redrive behind it. Both name the execution that was
// described: a second delivery of the terminate ends none that follows.
func TestO10AResetEndsTheExecutionThatItContinuesFrom(t *testing.T) {
	t.Parallel()
	c, q := purger(t, store.StatusRunning, -1)
	turn := store.Turn{Instance: "a", ExecutionID: 1, Token: "t", Events: []history.Event{
		{EventID: 1, Kind: history.OrchestrationStarted, Name: "Main", Start: &history.Start{StartID: "1"}, AtMS: epoch.UnixMilli()},
		{EventID: 2, Kind: history.ExternalSubscribed, Name: "go", AtMS: epoch.UnixMilli()}}}
	if err := q.history.Commit(t.Context(), store.Commit{Turns: []store.Turn{turn}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Redrive(t.Context(), client.RedriveRequest{Instance: "a", Reset: true}); err != nil {
		t.Fatal(err)
	}
	if len(q.made) != 1 || len(q.made[0]) != 2 {
		t.Fatalf("sent %v, want one call with two messages", q.made)
	}
	end, redrive := ok[wire.Item](t)(wire.Parse([]byte(q.made[0][0].Body))), ok[wire.Item](t)(wire.Parse([]byte(q.made[0][1].Body)))
	if end.Kind != wire.TerminateInstance || end.ExecutionID != 1 || redrive.OnConflict != wire.ConflictRedrive || redrive.Origin.ExecutionID != 1 {
		t.Errorf("sent %+v and %+v", end, redrive)
	}
}

// Of an instance that has ended it is a purge alone.
func TestAPurgeByForceOfWhatHasEndedIsAPurge(t *testing.T) {
	t.Parallel()
	c, q := purger(t, store.StatusCompleted, -1)
	if err := c.Purge(t.Context(), "a", client.Force()); err != nil {
		t.Fatal(err)
	}
	if len(q.made) != 1 || len(q.made[0]) != 1 || !strings.Contains(q.made[0][0].Body, string(wire.PurgeInstance)) || strings.Contains(q.made[0][0].Body, "force") {
		t.Errorf("sent %v, want a purge without force", q.made)
	}
}

// Which of the two was refused is said.
func TestAPurgeByForceSaysWhatWasNotSent(t *testing.T) {
	t.Parallel()
	for refused, kind := range []wire.Kind{wire.TerminateInstance, wire.PurgeInstance} {
		c, _ := purger(t, store.StatusRunning, refused)
		err := c.Purge(t.Context(), "a", client.Force())
		if !errors.Is(err, errRefused) || !strings.Contains(err.Error(), string(kind)) || !strings.Contains(err.Error(), `"a"`) {
			t.Errorf("with message %d refused it gave %v", refused, err)
		}
	}
}
