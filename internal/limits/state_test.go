package limits_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/store"
)

func who(n int) limits.Who {
	return limits.Who{ActivityKey: store.ActivityKey{Instance: fmt.Sprintf("order-%d#7", n), ExecutionID: 1, EventID: int64(n)}, Attempt: 1}
}

func at(seconds int) time.Time { return time.Unix(1_900_000_000+int64(seconds), 0) }

func TestPermitsAreTakenInTheOrderOfTheLine(t *testing.T) {
	t.Parallel()
	ask := func(s limits.State, n, now int, want limits.Answer) (limits.State, []limits.Who) {
		t.Helper()
		next, a, called := s.Ask(who(n), fmt.Sprint("token", n), 1, at(now), at(now+60))
		if a != want {
			t.Fatalf("attempt %d is answered %d, want %d: %+v", n, a, want, next)
		}
		return next, called
	}
	s, _ := ask(limits.State{}, 1, 0, limits.Taken)
	s, _ = ask(s, 2, 1, limits.Waits)
	s, _ = ask(s, 3, 2, limits.Waits)
	s, called := s.Give("token1", at(3))
	if !slices.Equal(called, []limits.Who{who(2)}) {
		t.Fatalf("%v are called, want the first in the line", called)
	}
	// The permit is kept for the one that was called, from others in the line and new ones.
	s, _ = ask(s, 3, 4, limits.Waits)
	s, _ = ask(s, 4, 4, limits.Waits)
	s, _ = ask(s, 2, 5, limits.Taken)
	s, called = s.Give("token2", at(6))
	if !slices.Equal(called, []limits.Who{who(3)}) {
		t.Fatalf("%v are called", called)
	}
	// It does not come: others call the next, and it takes what is free when it comes.
	s, called = ask(s, 5, 12, limits.Waits)
	if !slices.Equal(called, []limits.Who{who(4)}) {
		t.Fatalf("%v are called in place of one that does not come", called)
	}
	s, _ = ask(s, 3, 13, limits.Taken)
	s, _ = ask(s, 4, 14, limits.Waits)
	s, called = s.Leave(who(5), at(15))
	if len(called) != 0 || len(s.Line) != 1 {
		t.Errorf("%v are called, %v wait", called, s.Line)
	}
	// What is not given back is free when its time is over.
	if _, a, _ := s.Ask(who(4), "token4", 1, at(13+61), at(200)); a != limits.Taken {
		t.Errorf("answered %d behind the time of the permit", a)
	}
}

func TestANumberThatWasSetTakesPrecedence(t *testing.T) {
	t.Parallel()
	s := limits.State{}.WithSet(2, "ops", at(0))
	for n, want := range []limits.Answer{limits.Taken, limits.Taken, limits.Waits} {
		var a limits.Answer
		if s, a, _ = s.Ask(who(n), fmt.Sprint(n), 1, at(1), at(60)); a != want {
			t.Errorf("attempt %d of a limit of 1 that was set to 2: answered %d, want %d", n, a, want)
		}
	}
	closed := s.WithSet(limits.Closed, "ops", at(2))
	free, called := closed.Give("0", at(3))
	if _, a, _ := free.Ask(who(2), "2", 1, at(4), at(60)); a != limits.Waits || closed.Permits() != 0 || len(called) != 0 {
		t.Errorf("of a limit that is closed, an attempt is answered %d, and %v are called", a, called)
	}
	if until := closed.Expires(at(2), time.Hour); until.Sub(at(2)) < 1000*time.Hour {
		t.Errorf("that a limit is closed is forgotten at %s", until)
	}
	if reset := s.WithSet(0, "ops", at(2)); s.N != 1 || s.Permits() != 2 || reset.Permits() != 1 {
		t.Errorf("%+v", s)
	}
}

func TestOfTwoNumbersOfAKeyTheLowerOneCounts(t *testing.T) {
	t.Parallel()
	var s limits.State
	ask := func(one, n, now int, want limits.Answer) {
		t.Helper()
		next, a, _ := s.Ask(who(one), fmt.Sprint("token", one), n, at(now), at(now+1000))
		if a != want {
			t.Fatalf("attempt %d asks for one of %d and is answered %d, want %d: %+v", one, n, a, want, next)
		}
		s = next
	}
	ask(1, 3, 0, limits.Taken)
	ask(2, 2, 1, limits.Taken)
	ask(3, 3, 2, limits.Waits) // A third permit would break the promise of the second attempt's build.
	ask(3, 3, 32, limits.Waits)
	ask(4, 2, 33, limits.Waits)
	ask(3, 3, 34, limits.Waits)
	if n := s.Permits(); n != 2 || s.N != 3 || s.Other.N != 2 {
		t.Errorf("%d permits, %+v", n, s)
	}
	ask(3, 3, 34+int(limits.OtherTime.Seconds())-1, limits.Waits)
	ask(3, 3, 34+int(limits.OtherTime.Seconds()), limits.Taken) // Nobody asks for one of two any more.
	ask(4, 2, 120, limits.Waits)
	// What an operator says takes precedence of both.
	if set := s.WithSet(50, "ops", at(121)); set.Permits() != 50 {
		t.Errorf("%d permits, an operator has set 50", set.Permits())
	}
	// Of three, the lowest.
	ask(5, 1, 122, limits.Waits)
	ask(6, 7, 123, limits.Waits)
	ask(7, 3, 124, limits.Waits)
	if s.Permits() != 1 || s.N != 3 || s.Other.N != 1 {
		t.Errorf("%d permits, %+v", s.Permits(), s)
	}
}

func TestALineHasAnEnd(t *testing.T) {
	t.Parallel()
	var s limits.State
	var a limits.Answer
	for n := range limits.MaxLine + 1 {
		s, a, _ = s.Ask(who(n), fmt.Sprint(n), 1, at(0), at(60))
	}
	if _, full, _ := s.Ask(who(1000), "more", 1, at(1), at(60)); a != limits.Waits || full != limits.Full || len(s.Line) != limits.MaxLine {
		t.Errorf("the last is answered %d and %d, %d wait", a, full, len(s.Line))
	}
	// One that is not heard of makes room.
	if s, a, _ := s.Ask(who(1000), "more", 1, at(int(limits.Silence.Seconds())+1), at(2000)); a != limits.Taken || len(s.Line) != 0 {
		t.Errorf("answered %d, %d wait", a, len(s.Line))
	}
}

// Whatever attempts do: never more hold permits than there are, nobody stands twice, the
// line keeps its order, and nobody waits uncalled while a permit is free for it.
func TestWhatHoldsOfALimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3).Draw(t, "permits")
		var s limits.State
		now := 0
		for i := range 60 {
			now += rapid.IntRange(0, 4).Draw(t, "later")
			before := s
			one := rapid.IntRange(0, 7).Draw(t, "attempt")
			switch rapid.IntRange(0, 4).Draw(t, "does") {
			case 0, 1:
				next, a, _ := s.Ask(who(one), fmt.Sprint(i), n, at(now), at(now+20))
				if a != limits.Full {
					s = next
				}
			case 2:
				if len(s.Held) > 0 {
					s, _ = s.Give(s.Held[one%len(s.Held)].Token, at(now))
				}
			case 3:
				s, _ = s.Leave(who(one), at(now))
			case 4:
				s, _, _ = s.Pass(who(one), at(now))
			}
			claim, err := s.Claim()
			if err != nil {
				t.Fatal(err)
			}
			if s, err = limits.Of("k", claim); err != nil {
				t.Fatal(err)
			}
			if len(s.Held) > n {
				t.Fatalf("%d hold %d permits", len(s.Held), n)
			}
			place, seen := -1, map[limits.Who]bool{}
			for _, w := range s.Line {
				if seen[w.Who] {
					t.Fatalf("%v stands twice: %+v", w.Who, s.Line)
				}
				seen[w.Who] = true
				if j := slices.IndexFunc(before.Line, func(b limits.Waiting) bool { return b.Who == w.Who }); j >= 0 {
					if j < place {
						t.Fatalf("the order was %+v, and is %+v", before.Line, s.Line)
					}
					place = j
				}
			}
			if s.Version == before.Version {
				continue
			}
			free := n - len(s.Held)
			for _, w := range s.Line {
				if free > 0 && w.Called == 0 {
					t.Fatalf("%d permits are free, and %v is not called: %+v", free, w.Who, s)
				}
				if w.Called > at(now).UnixMilli() {
					free--
				}
			}
		}
	})
}

func TestAKeyStandsInItsList(t *testing.T) {
	t.Parallel()
	var k limits.Keys
	for n := range limits.MaxKeys + 1 {
		k = k.With(fmt.Sprint("key", n), at(n), time.Hour)
	}
	if _, ok := k.At["key0"]; ok || len(k.At) != limits.MaxKeys {
		t.Errorf("%d keys, the oldest among them: %t", len(k.At), ok)
	}
	claim, err := k.Claim()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := limits.KeysOf(claim); err != nil || again.Version != k.Version || len(again.At) != limits.MaxKeys {
		t.Errorf("%v: %+v", err, again)
	}
	if k = k.With("new", at(5000), time.Hour); len(k.At) != 1 {
		t.Errorf("%d keys, all but one of which nobody has put there for an hour", len(k.At))
	}
}

func TestDamagedItemsAreSaid(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"", "7", `{"held":[["1#2","t",1,2]]}`, `{"line":[["1#2#x#i",1,2,3]]}`} {
		if _, err := limits.Of("k", store.Claim{Attempt: 1, Token: token}); err == nil {
			t.Errorf("%q is taken for what is stored of a limit", token)
		}
	}
}
