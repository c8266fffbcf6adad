package turnstile_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	storememory "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
)

// tornReads is a store whose first reads see only half of a commit.
type tornReads struct {
	store.Store
	torn, reads int
	hole        bool
}

func (s *tornReads) Read(ctx context.Context, instance string, executionID, from int64) ([]store.Turn, error) {
	if s.reads++; s.reads > s.torn {
		return s.Store.Read(ctx, instance, executionID, from)
	}
	if s.hole {
		return nil, &store.CorruptError{Instance: instance, ExecutionID: executionID, EventID: 1, Unconfirmed: true}
	}
	return nil, nil
}

// atOnce is a clock whose timers fire as soon as they are set.
type atOnce struct{}

func (atOnce) Now() time.Time { return time.Unix(1_772_366_400, 0) }

func (atOnce) AfterFunc(_ time.Duration, f func()) (stop func() bool) {
	f()
	return func() bool { return false }
}

// a client that reads a history in the middle of a commit reads again before it reports the
// history as corrupt. It reports a history that does not change.
func TestAClientReadsATornHistoryAgain(t *testing.T) {
	t.Parallel()
	for _, hole := range []bool{false, true} {
		for torn := range 5 {
			inner := storememory.New()
			r := store.Record{Instance: "order-7", ExecutionID: 1, FirstExecution: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: atOnce{}.Now(), UpdatedAt: atOnce{}.Now()}
			started := history.Event{Kind: history.OrchestrationStarted, EventID: 1, Name: "Fulfil", Start: &history.Start{ExecutionID: 1}}
			if err := inner.Commit(t.Context(), store.Commit{Turns: []store.Turn{{Instance: "order-7", ExecutionID: 1, Token: "a", Events: []history.Event{started}}},
				Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r}}); err != nil {
				t.Fatal(err)
			}
			q, err := memory.New(memory.Options{Name: "q", FIFO: true})
			if err != nil {
				t.Fatal(err)
			}
			defer q.Close()
			for name, read := range map[string]func(*client.Client) (int, error){
				"History": func(c *client.Client) (int, error) {
					events, err := c.History(t.Context(), "order-7", 0)
					return len(events), err
				},
				"PendingOperations": func(c *client.Client) (int, error) {
					_, err := c.PendingOperations(t.Context(), "order-7")
					return 1, err
				},
			} {
				s := &tornReads{Store: inner, torn: torn, hole: hole}
				c, err := client.New(client.Config{Store: s, Queue: q, Clock: atOnce{}})
				if err != nil {
					t.Fatal(err)
				}
				n, err := read(c)
				var corrupt *store.CorruptError
				if torn < 3 && (err != nil || n != 1) || torn >= 3 && !errors.As(err, &corrupt) || s.reads != min(torn+1, 3) {
					t.Errorf("%s, %d torn reads, hole %v: got %d, %v after %d reads", name, torn, hole, n, err, s.reads)
				}
			}
		}
	}
}
