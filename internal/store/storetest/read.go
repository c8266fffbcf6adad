package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/turnstile-go/turnstile/store"
)

func readFrom(t *testing.T, o Options) {
	s := o.Open(t)
	// Turns of 1, 3, 2 and 4 events; the third is split over items by a backend that splits: ids 1 | 2
	// 3 4 | 5 6 | 7 8 9 10.
	turns := []store.Turn{
		turn("order-7", 1, 1, 1, "a"), turn("order-7", 1, 2, 3, "b"),
		withPayloads(turn("order-7", 1, 5, 2, "c"), 300_000, true), turn("order-7", 1, 7, 4, "d"),
	}
	turns[2].Cancelled, turns[2].Reasons = []int64{2, 3}, map[int64]string{3: "too late"}
	turns[2].Parked = true
	for _, x := range turns {
		commit(t, s, x)
	}
	for from := int64(1); from <= 12; from++ {
		t.Run(fmt.Sprintf("from %d", from), func(t *testing.T) {
			var want []store.Turn
			for _, x := range turns {
				if x.Last() >= from {
					want = append(want, x.Cut(from))
				}
			}
			same(t, read(t, s, "order-7", 1, from), want)
		})
	}
	t.Run("an unknown instance", func(t *testing.T) {
		same(t, read(t, s, "order-8", 1, 1), nil)
		same(t, read(t, s, "order-7", 2, 1), nil)
		if _, err := s.Describe(t.Context(), "order-8"); !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("describe: got %v, want ErrNotFound", err)
		}
	})
	t.Run("a history without its head is corrupt", func(t *testing.T) {
		commit(t, s, turn("order-9", 1, 5, 1, "a"))
		for _, from := range []int64{1, 2, 4} {
			_, err := s.Read(t.Context(), "order-9", 1, from)
			wantCorrupt(t, err, from)
		}
	})
	t.Run("a history with a gap is corrupt", func(t *testing.T) {
		commit(t, s, turn("order-10", 1, 1, 2, "a"))
		commit(t, s, turn("order-10", 1, 4, 1, "b"))
		for _, from := range []int64{1, 2, 3} {
			_, err := s.Read(t.Context(), "order-10", 1, from)
			wantCorrupt(t, err, 3)
		}
	})
}

func wantCorrupt(t testing.TB, err error, eventID int64) {
	t.Helper()
	var c *store.CorruptError
	if !errors.As(err, &c) || c.EventID != eventID {
		t.Fatalf("got %v, want a CorruptError at event %d", err, eventID)
	}
}

func readManyPages(t *testing.T, o Options) {
	s := o.Open(t)
	var turns []store.Turn
	next := int64(1)
	for i := range 300 {
		x := withPayloads(turn("order-7", 1, next, 1+i%3, fmt.Sprintf("turn-%d", i)), 17_500/(1+i%3), true)
		commit(t, s, x)
		turns = append(turns, x)
		next = x.Last() + 1
	}
	same(t, read(t, s, "order-7", 1, 1), turns)
	same(t, read(t, s, "order-7", 1, turns[150].First()), turns[150:])
	same(t, read(t, s, "order-7", 1, turns[299].First()), turns[299:])
}

func largeTurns(t *testing.T, o Options) {
	for _, random := range []bool{false, true} {
		for _, c := range []struct {
			name         string
			events, size int
		}{
			{"390 KB", 3, 130_000},
			{"410 KB", 3, 136_700},
			{"3 MB", 15, 200_000},
		} {
			name := c.name + " that compresses"
			if random {
				name = c.name + " that does not compress"
			}
			t.Run(name, func(t *testing.T) {
				s := o.Open(t)
				before := turn("order-7", 1, 1, 2, "before")
				commit(t, s, before)
				x := withPayloads(turn("order-7", 1, 3, c.events, "large"), c.size, random)
				after := turn("order-7", 1, x.Last()+1, 1, "after")
				r := running("order-7", 0)

				reader := o.Reopen(t, s)
				var wg sync.WaitGroup
				stop := make(chan struct{})
				wg.Go(func() {
					for {
						turns, err := reader.Read(t.Context(), "order-7", 1, 1)
						if err != nil {
							t.Errorf("read while writing: %v", err)
							return
						}
						if n := len(turns); n > 1 && turns[1].Last() != x.Last() {
							t.Errorf("a reader saw%s, a part of the turn", describe(turns))
							return
						}
						select {
						case <-stop:
							return
						default:
						}
					}
				})
				if err := s.Commit(t.Context(), store.Commit{Turns: []store.Turn{x}, Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r}}); err != nil {
					t.Errorf("commit: %v", err)
				}
				close(stop)
				wg.Wait()
				if t.Failed() {
					return
				}
				commit(t, s, after)
				same(t, read(t, s, "order-7", 1, 1), []store.Turn{before, x, after})
			})
		}
	}
	t.Run("6 MB in one turn is too large", func(t *testing.T) {
		s := o.Open(t)
		x := withPayloads(turn("order-7", 1, 1, 24, "large"), 250_000, true)
		x.Events[6].Payload = append(append([]byte(`"`), make100(x.Events[6].Payload)...), '"')
		r := running("order-7", 0)
		err := s.Commit(t.Context(), store.Commit{Turns: []store.Turn{x}, Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r}})
		var tl *store.TooLargeError
		if !errors.As(err, &tl) {
			t.Fatalf("got %v, want TooLargeError", err)
		}
		if tl.Instance != "order-7" || tl.ExecutionID != 1 || tl.EventID != 7 || tl.EventSize < 250_000 || tl.CommitSize < 4<<20 || !strings.Contains(tl.What, "approved") {
			t.Fatalf("the error does not say what was too large: %+v", tl)
		}
		same(t, read(t, s, "order-7", 1, 1), nil)
		if _, err := s.Describe(t.Context(), "order-7"); !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("describe after the refused commit: %v, want ErrNotFound", err)
		}
	})
}

// make100 returns the text of a JSON string and 100 bytes more, so that its
// event is the largest.
func make100(quoted []byte) []byte {
	text := quoted[1 : len(quoted)-1]
	return append(append([]byte(nil), text...), text[:100]...)
}

func noSharing(t *testing.T, o Options) {
	s := o.Open(t)
	long := strings.Repeat("ö", store.MaxInstance/2)
	ids := []string{
		"a", "a#1", "1#a", "1", "1#1", "a/1", "a.1", `a"1`, "a'1", "a 1", " a", "a ", "A", "ä", "日本", "a#", "#", "#a", "a\x001", "a\n1",
		long, long[:len(long)-2] + "oe", "__proto__", ":a", "a:1", "~", "1#a#1",
	}
	for i, id := range ids {
		for _, executionID := range []int64{1, 2, 11} {
			commit(t, s, turn(id, executionID, 1, 2, fmt.Sprintf("turn-%d-%d", i, executionID)))
		}
		create(t, s, running(id, i))
	}
	for i, id := range ids {
		for _, executionID := range []int64{1, 2, 11} {
			same(t, read(t, s, id, executionID, 1), []store.Turn{turn(id, executionID, 1, 2, fmt.Sprintf("turn-%d-%d", i, executionID))})
		}
		wantRecord(t, s, running(id, i))
	}
	// Deleting one instance deletes nothing of another.
	if _, err := s.DeleteHistory(t.Context(), "a", 2, 0); err != nil {
		t.Fatal(err)
	}
	for i, id := range ids[1:] {
		same(t, read(t, s, id, 1, 1), []store.Turn{turn(id, 1, 1, 2, fmt.Sprintf("turn-%d-1", i+1))})
	}
	same(t, read(t, s, "a", 1, 1), nil)
	same(t, read(t, s, "a", 11, 1), []store.Turn{turn("a", 11, 1, 2, "turn-0-11")})
}

func halfWritten(t *testing.T, o Options) {
	if o.HalfWrite == nil {
		t.Skip("this backend stores a turn in one piece: there is no half to meet")
	}
	for _, c := range []struct {
		name   string
		before []store.Turn
	}{
		{"behind another turn", []store.Turn{turn("order-7", 1, 1, 2, "before")}},
		{"as the first turn", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := o.Open(t)
			first := int64(1)
			for _, x := range c.before {
				commit(t, s, x)
				first = x.Last() + 1
			}
			x := withPayloads(turn("order-7", 1, first, 5, "split"), 240_000, true)
			states := o.HalfWrite(t, s, x)
			if len(states) < 3 {
				t.Fatalf("the turn is stored in %d steps, want several parts", len(states))
			}
			for _, next := range states[:len(states)-1] {
				next()
				same(t, read(t, s, "order-7", 1, 1), c.before)
				for _, from := range []int64{first + 1, x.Last()} {
					same(t, read(t, s, "order-7", 1, from), nil)
				}
			}
			states[len(states)-1]()
			wantConflict(t, s.Commit(t.Context(), store.Commit{Turns: []store.Turn{turn("order-7", 1, first, 1, "went on")}}))
			same(t, read(t, s, "order-7", 1, 1), append(c.before, x))
			if err := s.Commit(t.Context(), store.Commit{Turns: []store.Turn{x}}); err != nil {
				t.Fatalf("the identical append again: %v", err)
			}
		})
	}
}
