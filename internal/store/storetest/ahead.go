package storetest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// partsOf divides the first events of a turn into parts that are written in advance under a name.
func partsOf(x store.Turn, name string, last int64, most int) (parts []store.Turn) {
	for events := x.Events[:last]; len(events) > 0; {
		n := min(most, len(events))
		parts = append(parts, store.Turn{Instance: x.Instance, ExecutionID: x.ExecutionID, Events: events[:n], Token: name, Ahead: name})
		events = events[n:]
	}
	return parts
}

// behind returns a turn as it is committed after some of its events were written in advance.
func behind(x store.Turn, name string, last int64) store.Turn {
	x.Ahead, x.AheadLast = name, last
	return x
}

func writtenAhead(t *testing.T, o Options) {
	const name, other = "00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100"
	write := func(t *testing.T, s store.Store, parts ...store.Turn) {
		t.Helper()
		for _, p := range parts {
			if err := s.WriteAhead(t.Context(), p); err != nil {
				t.Fatalf("events %d to %d: %v", p.First(), p.Last(), err)
			}
		}
	}
	last := func(t *testing.T, s store.Store, name string, want int64) {
		t.Helper()
		if got, err := s.Ahead(t.Context(), "order-7", 2, name); got != want || err != nil {
			t.Fatalf("the last event that is written ahead is %d (%v), want %d", got, err, want)
		}
	}

	t.Run("five megabytes", func(t *testing.T) {
		s := o.Open(t)
		r := running("order-7", 0)
		create(t, s, r)
		end(t, s, "order-7")
		old := turn("order-7", 1, 1, 3, "old")
		commit(t, s, old)
		x := withPayloads(turn("order-7", 2, 1, 30, "large"), 200_000, true)
		x.Cancelled, x.Reasons = []int64{4}, map[int64]string{4: "late"}
		next := running("order-7", 1)
		next.ExecutionID, next.StartID = 2, "r"
		c := store.Commit{Turns: []store.Turn{x}, Record: &store.RecordChange{If: store.RecordCondition{Ended: true, ExecutionID: 1}, Create: &next}}
		var large *store.TooLargeError
		if err := s.Commit(t.Context(), c); !errors.As(err, &large) {
			t.Fatalf("the whole turn: %v", err)
		}
		parts := partsOf(x, name, 27, 1)
		for i, p := range parts {
			last(t, s, name, int64(i))
			write(t, s, p)
			// No reader sees it.
			same(t, read(t, o.Reopen(t, s), "order-7", 2, 1), nil)
			same(t, read(t, s, "order-7", 2, 9), nil)
			if at, err := s.ReadIsolated(t.Context(), "order-7", 2, 1); err != nil || at.Stored || at.Record.ExecutionID != 1 {
				t.Fatalf("%+v, %v", at, err)
			}
		}
		last(t, s, other, 0)
		// Other parts in between, and writing one of them twice, change nothing.
		write(t, s, partsOf(turn("order-7", 2, 1, 40, "other"), other, 40, 7)...)
		write(t, s, parts[3])
		last(t, s, name, 27)
		last(t, s, other, 40)
		c.Turns[0] = behind(x, name, 27)
		wrong := c
		wrong.Record = &store.RecordChange{If: store.RecordCondition{Ended: true, ExecutionID: 9}, Create: &next}
		wantConflict(t, s.Commit(t.Context(), wrong))
		same(t, read(t, s, "order-7", 2, 1), nil)
		for range 2 { // The store recognizes its own commit.
			if err := s.Commit(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			wantRecord(t, s, next)
		}
		wantConflict(t, s.Commit(t.Context(), store.Commit{Turns: []store.Turn{turn("order-7", 2, 1, 1, "late")}}))
		after := turn("order-7", 2, 31, 2, "after")
		commit(t, s, after)
		for _, from := range []int64{1, 2, 15, 27, 28, 30, 31, 32, 33} {
			var want []store.Turn
			if from <= 30 {
				want = append(want, x.Cut(from))
			}
			if from <= 32 {
				want = append(want, after.Cut(from))
			}
			same(t, read(t, o.Reopen(t, s), "order-7", 2, from), want)
		}
		same(t, read(t, s, "order-7", 1, 1), []store.Turn{old})
		// What follows it is deleted with it, as are parts that no commit names. A shorter history
		// never remains.
		for {
			done, err := s.DeleteHistory(t.Context(), "order-7", 2, 4)
			if err != nil {
				t.Fatal(err)
			}
			if done {
				break
			}
			var corrupt *store.CorruptError
			turns, err := s.Read(t.Context(), "order-7", 2, 1)
			if err != nil && !errors.As(err, &corrupt) || len(turns) != 0 && len(turns) != 2 {
				t.Fatalf("while it is deleted %d turns are read: %v", len(turns), err)
			}
		}
		last(t, s, name, 0)
		last(t, s, other, 0)
	})
	t.Run("a tail of several items", func(t *testing.T) {
		s := o.Open(t)
		x := withPayloads(turn("order-7", 2, 1, 20, "large"), 200_000, true)
		write(t, s, partsOf(x, name, 10, 1)...)
		commit(t, s, behind(x, name, 10))
		for _, from := range []int64{1, 10, 11, 14, 20} {
			same(t, read(t, s, "order-7", 2, from), []store.Turn{x.Cut(from)})
		}
		at, err := s.ReadIsolated(t.Context(), "order-7", 2, 1)
		if err != nil || !at.Stored {
			t.Fatalf("%+v, %v", at, err)
		}
	})
	t.Run("a part that is missing, or another's, is damage", func(t *testing.T) {
		x := turn("order-7", 2, 1, 9, "x")
		for i := range 4 {
			s := o.Open(t)
			parts := partsOf(x, name, 8, 2)
			write(t, s, slices.Delete(parts, i, i+1)...)
			write(t, s, partsOf(x, other, 8, 2)...)
			commit(t, s, behind(x, name, 8))
			var corrupt *store.CorruptError
			if turns, err := s.Read(t.Context(), "order-7", 2, 1); !errors.As(err, &corrupt) || corrupt.Unconfirmed || corrupt.EventID > int64(2*i+1) {
				t.Errorf("without part %d: %d turns, %v", i, len(turns), err)
			}
		}
	})
	t.Run("an answer that is lost", func(t *testing.T) {
		s := o.Open(t)
		x := turn("order-7", 2, 1, 4, "x")
		parts := partsOf(x, name, 3, 2)
		lossy := o.LoseAnswers(t, s, 1)
		for err := errors.New("not yet"); err != nil; {
			if err = lossy.WriteAhead(t.Context(), parts[0]); err != nil && !errors.Is(err, store.ErrUnknownOutcome) {
				t.Fatal(err)
			}
		}
		write(t, s, parts[1])
		commit(t, s, behind(x, name, 3))
		same(t, read(t, s, "order-7", 2, 1), []store.Turn{x})
		throttled := o.Throttle(t, s)
		if err := throttled.WriteAhead(t.Context(), parts[0]); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("throttled: %v", err)
		}
		if _, err := throttled.Ahead(t.Context(), "order-7", 2, name); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("throttled: %v", err)
		}
	})
	t.Run("what cannot be is refused", func(t *testing.T) {
		s := o.Open(t)
		x := turn("order-7", 2, 1, 4, "x")
		for what, edit := range map[string]func(*store.Turn){
			"no name":                func(p *store.Turn) { p.Ahead = "" },
			"another token":          func(p *store.Turn) { p.Token = other },
			"a name that is no hash": func(p *store.Turn) { p.Ahead, p.Token = `"}`+name, `"}`+name },
			"no events":              func(p *store.Turn) { p.Events = nil },
			"an event too far":       func(p *store.Turn) { p.Events = []history.Event{x.Events[0]}; p.Events[0].EventID = store.MaxAhead + 1 },
		} {
			p := partsOf(turn("order-7", 2, 1, 4, "x"), name, 3, 3)[0]
			if edit(&p); !errors.Is(s.WriteAhead(t.Context(), p), store.ErrInvalidTurn) {
				t.Errorf("%s is written", what)
			}
		}
		for what, c := range map[string]store.Turn{
			"nothing behind":      behind(x, name, 4),
			"nothing ahead":       behind(x, name, 0),
			"no name":             behind(x, "", 2),
			"a name too long":     behind(x, strings.Repeat("a", 65), 2),
			"not the first turn":  behind(turn("order-7", 2, 5, 3, "x"), name, 5),
			"less than nothing":   behind(x, name, -1),
			"more than there are": behind(x, name, 7),
		} {
			if err := s.Commit(t.Context(), store.Commit{Turns: []store.Turn{c}}); !errors.Is(err, store.ErrInvalidTurn) {
				t.Errorf("%s: %v", what, err)
			}
		}
		same(t, read(t, s, "order-7", 2, 1), nil)
	})
	t.Run("a part beyond one item", func(t *testing.T) {
		s := o.Open(t)
		x := withPayloads(turn("order-7", 2, 1, 1, "x"), 5<<20, true)
		var large *store.TooLargeError
		if err := s.WriteAhead(t.Context(), partsOf(x, name, 1, 1)[0]); !errors.As(err, &large) || large.EventID != 1 {
			t.Errorf("got %v", err)
		}
	})
}
