package turncache_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/turncache"
	"github.com/turnstile-go/turnstile/store"
)

// turn returns a turn of two events with a token and a payload of its first.
func turn(first int64, token string, payload int) store.Turn {
	return store.Turn{Token: token, Events: []history.Event{{EventID: first, Kind: history.ExternalEvent, Payload: make([]byte, payload)}, {EventID: first + 1, Kind: history.ExternalSubscribed}}}
}

// stored reads from turns, and notes from where.
type stored struct {
	turns []store.Turn
	reads []int64
	err   error
}

func (s *stored) read(from int64) ([]store.Turn, error) {
	s.reads = append(s.reads, from)
	i := slices.IndexFunc(s.turns, func(t store.Turn) bool { return t.Last() >= from })
	if i < 0 || s.err != nil {
		return nil, s.err
	}
	return slices.Clone(s.turns[i:]), nil
}

func TestOnlyTheLastKnownTurnAndLaterOnesAreReadAgain(t *testing.T) {
	t.Parallel()
	c, key := turncache.New(1<<20), turncache.Key{Instance: "i", ExecutionID: 1, StartID: "s"}
	s := &stored{turns: []store.Turn{turn(1, "a", 0), turn(3, "b", 0)}}
	look := func(what string, key turncache.Key, reads ...int64) {
		t.Helper()
		s.reads = nil
		got, err := c.Read(key, s.read)
		if err != nil || !slices.Equal(s.reads, reads) || !slices.EqualFunc(got, s.turns, func(a, b store.Turn) bool {
			return a.Token == b.Token && a.First() == b.First() && len(a.Events) == len(b.Events)
		}) {
			t.Errorf("%s: read from %v, want %v; %d turns, %v", what, s.reads, reads, len(got), err)
		}
	}
	look("first", key, 1)
	look("unchanged", key, 3)
	s.turns = append(s.turns, turn(5, "c", 0), turn(7, "d", 0))
	look("two turns later", key, 3)
	look("unchanged again", key, 7)
	s.err = errors.New("throttled")
	if _, err := c.Read(key, s.read); !errors.Is(err, s.err) {
		t.Errorf("an error of the store: %v", err)
	}
	s.err = nil
	s.turns = []store.Turn{turn(1, "x", 0), turn(3, "y", 0), turn(5, "z", 0), turn(7, "other", 0)}
	look("another history under the same number", key, 7, 1)
	s.turns = s.turns[:2]
	look("a shorter one", key, 7, 1)
	look("another start", turncache.Key{Instance: "i", ExecutionID: 1, StartID: "t"}, 1)
	look("another execution", turncache.Key{Instance: "i", ExecutionID: 2, StartID: "s"}, 1)
	end := turn(5, "end", 0)
	end.Events[1].Kind = history.OrchestrationCompleted
	s.turns = append(s.turns, end)
	look("its end", key, 3)
	look("after its end", key)
	s.turns = nil
	look("an execution that does not exist", turncache.Key{Instance: "j"}, 1)
	look("it still does not", turncache.Key{Instance: "j"}, 1)
}

func TestTheExecutionsReadLeastRecentlyAreDropped(t *testing.T) {
	t.Parallel()
	of := func(payload int) *stored { return &stored{turns: []store.Turn{turn(1, "a", payload), turn(3, "b", 0)}} }
	c := turncache.New(2*turncache.Size(of(1000).turns) + 10)
	for i, look := range []struct {
		instance string
		payload  int
		from     int64 // 3 if the instance is known
	}{{"a", 1000, 1}, {"b", 1000, 1}, {"a", 1000, 3}, {"c", 1000, 1}, {"a", 1000, 3}, {"b", 1000, 1}, {"large", 5000, 1}, {"large", 5000, 1}, {"b", 1000, 3}, {"a", 1000, 3}, {"c", 1000, 1}} {
		s := of(look.payload)
		if _, err := c.Read(turncache.Key{Instance: look.instance}, s.read); err != nil || !slices.Equal(s.reads, []int64{look.from}) {
			t.Errorf("%d: %s was read from %v, want %d; %v", i, look.instance, s.reads, look.from, err)
		}
	}
}
