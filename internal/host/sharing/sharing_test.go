package sharing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// callQueue records its calls, each of which takes eight milliseconds.
type callQueue struct {
	queue.Queue
	Fifo bool
	// Fails are the refused bodies; down is the error that all calls return.
	Fails map[string]bool
	down  error

	mu    sync.Mutex
	Calls [][]string
}

func (q *callQueue) FIFO() bool { return q.Fifo }

func (q *callQueue) note(names []string) error {
	time.Sleep(8 * time.Millisecond)
	q.mu.Lock()
	defer q.mu.Unlock()
	slices.Sort(names)
	q.Calls = append(q.Calls, names)
	return q.down
}

func (q *callQueue) Send(_ context.Context, msgs ...queue.Outgoing) error {
	var names []string
	failed := map[int]error{}
	for i, m := range msgs {
		names = append(names, m.Body)
		if q.Fails[m.Body] {
			failed[i] = &queue.RejectedError{Index: i, Code: m.Body}
		}
	}
	if err := q.note(names); err != nil {
		return err
	}
	return queue.Partial(failed, len(msgs))
}

func (q *callQueue) SetVisibility(_ context.Context, d time.Duration, msgs ...queue.Message) error {
	names := []string{d.String()}
	for _, m := range msgs {
		names = append(names, m.ID)
	}
	return q.note(names)
}

// sideBySideSends runs n senders concurrently, as for the groups of a batch, and returns the
// elapsed time.
func sideBySideSends(t *testing.T, q *callQueue, n int, f func(ctx context.Context, q queue.Queue, i int)) time.Duration {
	t.Helper()
	startedAt := time.Now()
	ctx := Start(t.Context(), clock.Wall{}, 2*time.Millisecond)
	shared := &sharedQueue{q}
	SideBySide(ctx, n, n, OnGoroutines(func(f func()) { go f() }), func(i int) { f(ctx, shared, i) })
	if s := of(ctx); s.busy != 1 || s.waiting != 0 || len(s.open) != 0 {
		t.Errorf("left behind: %d busy, %d waiting, %d calls", s.busy, s.waiting, len(s.open))
	}
	return time.Since(startedAt)
}

func TestSendsThatOverlapShareACall(t *testing.T) {
	t.Parallel()
	letter := func(i int) string { return strconv.Itoa(i) }
	send := func(t *testing.T, ctx context.Context, q queue.Queue, bodies ...string) error {
		var msgs []queue.Outgoing
		for _, b := range bodies {
			msgs = append(msgs, queue.Outgoing{Body: b, Group: "group"})
		}
		return q.Send(ctx, msgs...)
	}
	tests := []struct {
		name  string
		n     int
		each  func(t *testing.T, ctx context.Context, q queue.Queue, i int)
		calls string
		took  time.Duration
	}{
		{"all simultaneous messages, even of one group, without a wait for more", 10, func(t *testing.T, ctx context.Context, q queue.Queue, i int) {
			if err := send(t, ctx, q, letter(i)); err != nil {
				t.Error(err)
			}
		}, "[[0 1 2 3 4 5 6 7 8 9]]", 8 * time.Millisecond},
		{"a single sender does not wait", 1, func(t *testing.T, ctx context.Context, q queue.Queue, i int) {
			_ = send(t, ctx, q, letter(i))
		}, "[[0]]", 8 * time.Millisecond},
		{"a sender that does not arrive is awaited for the window", 3, func(t *testing.T, ctx context.Context, q queue.Queue, i int) {
			if i == 2 {
				time.Sleep(time.Second)
				return
			}
			_ = send(t, ctx, q, letter(i))
		}, "[[0 1]]", time.Second},
		{"senders within the window share the call, later ones do not", 4, func(t *testing.T, ctx context.Context, q queue.Queue, i int) {
			time.Sleep(time.Duration(i*i) * 400 * time.Microsecond)
			_ = send(t, ctx, q, letter(i))
		}, "[[0 1 2] [3]]", 11600 * time.Microsecond}, // The last message arrives at 3.6 ms, and does not wait.
		{"a finished sender is not awaited", 3, func(t *testing.T, ctx context.Context, q queue.Queue, i int) {
			if i == 2 {
				time.Sleep(time.Millisecond)
				return
			}
			_ = send(t, ctx, q, letter(i))
		}, "[[0 1]]", 9 * time.Millisecond},
		{"messages of one sender and one group keep their order: they go by themselves", 2, func(t *testing.T, ctx context.Context, q queue.Queue, i int) {
			if i == 0 {
				time.Sleep(20 * time.Millisecond)
				_ = send(t, ctx, q, "x", "y")
				return
			}
			_ = send(t, ctx, q, letter(i))
		}, "[[1] [x y]]", 28 * time.Millisecond},
		{"visibilities of the same time", 3, func(t *testing.T, ctx context.Context, q queue.Queue, i int) {
			if err := q.SetVisibility(ctx, []time.Duration{1900 * time.Millisecond, time.Minute, 2 * time.Second}[i], queue.Message{ID: letter(i)}); err != nil {
				t.Error(err)
			}
		}, "[[0 2 2s] [1 1m0s]]", 8 * time.Millisecond},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q := &callQueue{Fifo: true}
				took := sideBySideSends(t, q, c.n, func(ctx context.Context, q queue.Queue, i int) { c.each(t, ctx, q, i) })
				slices.SortFunc(q.Calls, func(a, b []string) int { return slices.Compare(a, b) })
				if got := fmt.Sprint(q.Calls); got != c.calls || took != c.took {
					t.Errorf("calls %s in %s, want %s in %s", got, took, c.calls, c.took)
				}
			})
		})
	}
}

func TestMoreThanABatchAreSeveralCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &callQueue{Fifo: true}
		sideBySideSends(t, q, 24, func(ctx context.Context, q queue.Queue, i int) {
			if err := q.Send(ctx, queue.Outgoing{Body: strconv.Itoa(i), Group: "g"}); err != nil {
				t.Error(err)
			}
		})
		var sizes []int
		for _, c := range q.Calls {
			sizes = append(sizes, len(c))
		}
		if slices.Sort(sizes); fmt.Sprint(sizes) != "[4 10 10]" {
			t.Errorf("calls of %v messages, want two of ten and one of four", sizes)
		}
	})
}

// A refusal is returned only to the sender of the refused message; an unknown outcome is returned
// to all senders.
func TestEachSenderGetsTheResultsOfItsOwnMessages(t *testing.T) {
	t.Parallel()
	lost := errors.New("the answer is lost")
	for _, down := range []error{nil, lost} {
		t.Run(fmt.Sprint(down), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q := &callQueue{Fifo: true, Fails: map[string]bool{"2b": true, "3a": true}, down: down}
				sideBySideSends(t, q, 5, func(ctx context.Context, shared queue.Queue, i int) {
					err := shared.Send(ctx, queue.Outgoing{Body: fmt.Sprint(i, "a"), Group: "g"}, queue.Outgoing{Body: fmt.Sprint(i, "b"), Group: "h"})
					for n, body := range []string{fmt.Sprint(i, "a"), fmt.Sprint(i, "b")} {
						var rejected *queue.RejectedError
						got := queue.ErrorOf(err, n)
						switch {
						case down != nil:
							if !errors.Is(got, lost) {
								t.Errorf("%s: %v, want that nobody knows", body, got)
							}
						case q.Fails[body]:
							if !errors.As(got, &rejected) || rejected.Index != n || rejected.Code != body {
								t.Errorf("%s: %v, want that message %d was rejected", body, got, n)
							}
						case got != nil:
							t.Errorf("%s is in, and its sender is told %v", body, got)
						}
					}
				})
				if len(q.Calls) != 1 {
					t.Errorf("%d calls, want one", len(q.Calls))
				}
			})
		})
	}
}

// A message that cannot be sent does not prevent sending the messages of others.
func TestAnInvalidMessageFailsOnlyItsSender(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &callQueue{}
		sideBySideSends(t, q, 3, func(ctx context.Context, q queue.Queue, i int) {
			err := q.Send(ctx, queue.Outgoing{Body: []string{"", "1", "2"}[i]})
			var invalid *queue.InvalidMessageError
			if errors.As(err, &invalid) != (i == 0) {
				t.Errorf("message %d: %v", i, err)
			}
		})
	})
}
