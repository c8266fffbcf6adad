package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/turnstile-go/turnstile/store"
)

func appendRace(t *testing.T, o Options) {
	const writers = 32
	s := o.Open(t)
	commit(t, s, turn("order-7", 1, 1, 2, "before"))
	errs := make([]error, writers)
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for w := range writers {
		wg.Go(func() {
			<-begin
			errs[w] = settle(t.Context(), s, store.Commit{Turns: []store.Turn{turn("order-7", 1, 3, 1+w%5, fmt.Sprintf("writer-%d", w))}})
		})
	}
	close(begin)
	wg.Wait()
	winner := -1
	for w, err := range errs {
		switch {
		case err == nil && winner < 0:
			winner = w
		case err == nil:
			t.Fatalf("writers %d and %d both succeeded", winner, w)
		case !errors.Is(err, store.ErrConflict):
			t.Fatalf("writer %d: %v, want ErrConflict", w, err)
		}
	}
	if winner < 0 {
		t.Fatal("no writer succeeded")
	}
	same(t, read(t, s, "order-7", 1, 3), []store.Turn{turn("order-7", 1, 3, 1+winner%5, fmt.Sprintf("writer-%d", winner))})
}

func appendLoops(t *testing.T, o Options) {
	const writers, rounds = 8, 200
	s := o.Open(t)
	var (
		wg    sync.WaitGroup
		clock atomic.Int64
		logs  [writers][]operation
	)
	for w := range writers {
		wg.Go(func() {
			st := o.Reopen(t, s)
			known := 0 // events read so far; each turn is one event
			for r := range rounds {
				op := operation{kind: opRead, begin: clock.Add(1)}
				turns, err := st.Read(t.Context(), "order-7", 1, int64(known+1))
				op.end = clock.Add(1)
				if err != nil {
					t.Errorf("writer %d: read from %d: %v", w, known+1, err)
					return
				}
				for i := range turns {
					if turns[i].First() != int64(known+1) || len(turns[i].Events) != 1 {
						t.Errorf("writer %d: read%s where event %d belongs", w, describe(turns[i:i+1]), known+1)
						return
					}
					known++
				}
				op.length = known
				logs[w] = append(logs[w], op)

				token := fmt.Sprintf("writer-%d-%d", w, r)
				op = operation{kind: opAppend, begin: clock.Add(1), token: token, length: known}
				err = settle(t.Context(), st, store.Commit{Turns: []store.Turn{turn("order-7", 1, int64(known+1), 1, token)}})
				op.end = clock.Add(1)
				if errors.Is(err, store.ErrConflict) {
					op.kind = opConflict
				} else if err != nil {
					t.Errorf("writer %d: append at %d: %v", w, known+1, err)
					return
				}
				logs[w] = append(logs[w], op)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	var final []string
	for _, x := range read(t, s, "order-7", 1, 1) {
		final = append(final, x.Token)
	}
	var ops []operation
	for w := range logs {
		ops = append(ops, logs[w]...)
	}
	must(t, linearizable(final, ops))
}

func readYourWrites(t *testing.T, o Options) {
	const appends = 1000
	s := o.Open(t)
	other := o.Reopen(t, s)
	for i := range int64(appends) {
		x := turn("order-7", 1, i+1, 1, fmt.Sprintf("turn-%d", i))
		commit(t, s, x)
		same(t, read(t, other, "order-7", 1, i+1), []store.Turn{x})
	}
}

func lostAnswer(t *testing.T, o Options) {
	start := func() store.Commit {
		r := running("order-7", 0)
		return store.Commit{Turns: []store.Turn{turn("order-7", 1, 1, 2, "a")}, Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r}}
	}
	for _, c := range []struct {
		name   string
		commit store.Commit
	}{
		{"a turn alone", store.Commit{Turns: []store.Turn{turn("order-7", 1, 1, 2, "a")}}},
		{"a turn with its record", start()},
		{"a turn split over items", store.Commit{Turns: []store.Turn{withPayloads(turn("order-7", 1, 1, 3, "a"), 200_000, true)}}},
	} {
		for _, lost := range []int{1, 100} {
			t.Run(fmt.Sprintf("%s, %d answers lost", c.name, lost), func(t *testing.T) {
				s := o.Open(t)
				lossy := o.LoseAnswers(t, s, lost)
				err := lossy.Commit(t.Context(), c.commit)
				if err != nil && !errors.Is(err, store.ErrUnknownOutcome) {
					t.Fatalf("got %v, want success or ErrUnknownOutcome", err)
				}
				if lost == 100 && err == nil {
					t.Fatal("every response was lost, but Commit returned success")
				}
				// Another process of the same writer repeats it, byte for byte.
				if err := o.Reopen(t, s).Commit(t.Context(), c.commit); err != nil {
					t.Fatalf("the identical append again: %v", err)
				}
				same(t, read(t, s, "order-7", 1, 1), c.commit.Turns)
				other := c.commit
				other.Turns = []store.Turn{c.commit.Turns[0]}
				other.Turns[0].Token = "another writer"
				wantConflict(t, s.Commit(t.Context(), other))
				same(t, read(t, s, "order-7", 1, 1), c.commit.Turns)
			})
		}
	}
	t.Run("a record change is made once and its writer learns it", func(t *testing.T) {
		s := o.Open(t)
		create(t, s, running("order-7", 0))
		change := store.RecordChange{If: store.RecordCondition{Exists: true, Stamp: ptr(int64(0))}, Stamp: ptr(int64(1)), UpdatedAt: epoch}
		err := o.LoseAnswers(t, s, 1).UpdateRecord(t.Context(), "order-7", change)
		if err != nil && !errors.Is(err, store.ErrUnknownOutcome) {
			t.Fatalf("got %v, want success or ErrUnknownOutcome", err)
		}
		want := running("order-7", 0)
		wantRecord(t, s, change.Apply(want))
	})
}

func faults(t *testing.T, o Options) {
	s := o.Open(t)
	x := turn("order-7", 1, 1, 2, "a")
	commit(t, s, x)
	r := running("order-7", 0)
	create(t, s, r)
	key := store.AnswerKey{Instance: "order-7", StartID: "start-1", ID: "update-1"}
	a := answerTo(key, 1, 5, "1")
	putAnswer(t, s, a)
	calls := func(s store.Store) map[string]func(context.Context) error {
		return map[string]func(context.Context) error{
			"Commit": func(ctx context.Context) error {
				return s.Commit(ctx, store.Commit{Turns: []store.Turn{turn("order-7", 1, 3, 1, "b")}})
			},
			"Commit with record": func(ctx context.Context) error {
				return s.Commit(ctx, store.Commit{Turns: []store.Turn{turn("order-7", 1, 3, 1, "c")}, Record: &store.RecordChange{Suspect: ptr("m"), UpdatedAt: epoch}})
			},
			"Read":         func(ctx context.Context) error { _, err := s.Read(ctx, "order-7", 1, 1); return err },
			"ReadIsolated": func(ctx context.Context) error { _, err := s.ReadIsolated(ctx, "order-7", 1, 1); return err },
			"Describe":     func(ctx context.Context) error { _, err := s.Describe(ctx, "order-7"); return err },
			"UpdateRecord": func(ctx context.Context) error {
				return s.UpdateRecord(ctx, "order-7", store.RecordChange{Suspect: ptr("m"), UpdatedAt: epoch})
			},
			"List":          func(ctx context.Context) error { _, err := s.List(ctx, store.ListQuery{}); return err },
			"Hide":          func(ctx context.Context) error { return s.Hide(ctx, "order-7", 1, free) },
			"DeleteHistory": func(ctx context.Context) error { _, err := s.DeleteHistory(ctx, "order-7", 1, 0); return err },
			"PutAnswer":     func(ctx context.Context) error { return s.PutAnswer(ctx, answerTo(key, 2, 1, "2")) },
			"ReadAnswer":    func(ctx context.Context) error { _, err := s.ReadAnswer(ctx, key); return err },
			"DeleteAnswers": func(ctx context.Context) error { _, err := s.DeleteAnswers(ctx, "order-7", 0); return err },
		}
	}
	for name, call := range calls(o.Throttle(t, s)) {
		t.Run(name+" throttled", func(t *testing.T) {
			if err := call(t.Context()); !errors.Is(err, store.ErrUnavailable) {
				t.Fatalf("got %v, want ErrUnavailable", err)
			}
		})
	}
	for name, call := range calls(s) {
		t.Run(name+" with a cancelled context", func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := call(ctx); !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v, want context.Canceled", err)
			}
		})
	}
	same(t, read(t, s, "order-7", 1, 1), []store.Turn{x})
	wantRecord(t, s, r)
	wantAnswer(t, s, a)
}
