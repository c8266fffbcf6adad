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

// with returns the State after a group has reported what it keeps and wants.
func with(s limits.State, token string, n, keep, want, now int) limits.State {
	s = s.Declares(n, 0, at(now))
	return s.With(limits.Holding{Token: token, Keep: keep, Want: want, Within: time.Minute}, at(now))
}

// has checks how many permits the groups hold, and how many more they want.
func has(t *testing.T, s limits.State, token string, have, want int) {
	t.Helper()
	if g := s.Group(token); g.Have != have || g.Want != want {
		t.Errorf("group %s has %d permits and wants %d more, want %d and %d: %+v", token, g.Have, g.Want, have, want, s.Groups)
	}
}

func TestAPermitThatIsFreeIsGivenToTheGroupWithTheFewest(t *testing.T) {
	t.Parallel()
	s := with(limits.State{}, "a", 4, 0, 6, 0)
	has(t, s, "a", 4, 2)
	s = with(s, "b", 4, 0, 3, 1)
	s = with(s, "c", 4, 0, 1, 2)
	has(t, s, "b", 0, 3)
	s = with(s, "a", 4, 2, 0, 3) // Two become free: one for each group without a permit.
	has(t, s, "b", 1, 2)
	has(t, s, "c", 1, 0)
	s = with(s, "c", 4, 0, 0, 4)
	has(t, s, "b", 2, 1)
	has(t, s, "c", 0, 0)
	// Of groups with equally many permits, the first in the waiting list gets the next one.
	s = with(s, "d", 4, 0, 1, 5)
	s = with(s, "e", 4, 0, 1, 6)
	s = with(s, "a", 4, 1, 0, 7)
	has(t, s, "d", 1, 0)
	has(t, s, "e", 0, 1)
	// A group that returns permits and wants others goes to the end of the waiting list.
	s = with(s, "b", 4, 1, 2, 8)
	has(t, s, "e", 1, 0)
	has(t, s, "b", 1, 2)
	// A permit that is not returned becomes free when it expires, not earlier.
	s = with(s, "f", 4, 0, 4, 20)
	has(t, s, "f", 0, 4)
	s = with(s, "f", 4, 0, 4, 68)
	has(t, s, "f", 4, 0)
}

func TestAGroupKeepsItsPositionWhenItsPermitsExpire(t *testing.T) {
	t.Parallel()
	s := with(limits.State{}, "a", 1, 0, 2, 0)
	s = with(s, "a", 1, 1, 1, 50)
	s = with(s, "b", 1, 0, 1, 59)
	s = with(s, "b", 1, 0, 1, 60)
	has(t, s, "a", 1, 0)
	has(t, s, "b", 0, 1)
}

func TestASilentGroupGetsNoPermits(t *testing.T) {
	t.Parallel()
	s := with(limits.State{}, "a", 1, 0, 1, 0)
	s = with(s, "dead", 1, 0, 1, 1)
	s = with(s, "b", 1, 0, 1, 20)
	s = with(s, "a", 1, 0, 0, 32)
	has(t, s, "b", 1, 0)
	if len(s.Groups) != 1 {
		t.Errorf("%+v", s.Groups)
	}
}

func TestANumberThatWasSetTakesPrecedence(t *testing.T) {
	t.Parallel()
	s := with(limits.State{}.WithSet(2, "ops", at(0)), "a", 1, 0, 3, 1)
	has(t, s, "a", 2, 1)
	closed := s.WithSet(limits.Closed, "ops", at(2))
	if s := with(closed, "a", 1, 0, 3, 3); closed.Permits() != 0 || s.Held() != 0 {
		t.Errorf("of a limit that is closed, %d permits are held", s.Held())
	}
	if _, comes := closed.Wait(1, at(3)); comes {
		t.Error("a permit of a limit that is closed is expected")
	}
	if until := closed.Expires(at(2), time.Hour); until.Sub(at(2)) < 1000*time.Hour {
		t.Errorf("that a limit is closed is forgotten at %s", until)
	}
	if reset := s.WithSet(0, "ops", at(2)); s.N != 1 || s.Permits() != 2 || reset.Permits() != 1 {
		t.Errorf("%+v", s)
	}
	// Permits that an operator adds are given at once.
	has(t, s.WithSet(5, "ops", at(2)), "a", 3, 0)
}

func TestOfTwoNumbersOfAKeyTheLowerOneCounts(t *testing.T) {
	t.Parallel()
	s := with(limits.State{}, "a", 3, 0, 1, 0)
	s = with(s, "b", 2, 0, 1, 1)
	s = with(s, "c", 3, 0, 1, 2) // A third permit would exceed the limit of the second build.
	has(t, s, "c", 0, 1)
	s = with(s, "b", 2, 1, 1, 20)
	s = with(s, "c", 3, 0, 1, 21)
	has(t, s, "c", 0, 1)
	if n := s.Permits(); n != 2 || s.N != 3 || s.Other.N != 2 {
		t.Errorf("%d permits, %+v", n, s)
	}
	s = s.Declares(3, 0, at(21+int(limits.OtherTime.Seconds())))
	if n := s.Permits(); n != 3 {
		t.Errorf("%d permits, and no attempt asks for one of two any more", n)
	}
	// The number of an operator takes precedence over both.
	s = s.Declares(2, 0, at(120))
	if set := s.WithSet(50, "ops", at(121)); set.Permits() != 50 {
		t.Errorf("%d permits, an operator has set 50", set.Permits())
	}
	// Of three numbers, the lowest applies.
	for i, n := range []int{1, 7, 3} {
		s = s.Declares(n, 0, at(122+i))
	}
	if s.Permits() != 1 || s.N != 3 || s.Other.N != 1 {
		t.Errorf("%d permits, %+v", s.Permits(), s)
	}
}

// The recent mean predicts how long others wait; if no permit was returned for much longer, that time does.
func TestHowLongAWaitIsExpectedToBe(t *testing.T) {
	t.Parallel()
	s := with(limits.State{}, "a", 2, 0, 3, 0)
	for i := range 50 {
		s = s.With(limits.Holding{Token: "a", Keep: 1, Want: 1, Within: time.Minute, Used: 3 * time.Second, UsedBy: 1}, at(i))
	}
	if takes := s.Takes(at(51)); takes != 3*time.Second {
		t.Errorf("a permit is held for %s, as far as is known", takes)
	}
	if wait, comes := s.Wait(4, at(51)); !comes || wait != 6*time.Second {
		t.Errorf("four permits of two come free within %s, %t", wait, comes)
	}
	if takes := s.Takes(at(49 + 100)); takes != 100*time.Second {
		t.Errorf("none was returned for 100 s, and one is held for %s", takes)
	}
	// Attempts that return later do so one after another.
	for n := range 3 {
		if back := s.Back(at(60), time.Second, 2*time.Second, false); !back.Equal(at(61 + 2*n)) {
			t.Errorf("attempt %d comes back at %s", n, back.Sub(at(60)))
		}
	}
	if back := s.Back(at(60), time.Second, 2*time.Second, true); !back.Equal(at(61)) {
		t.Errorf("one whose turn has come comes back %s later", back.Sub(at(60)))
	}
	if back := s.Back(at(60), time.Second, 2*time.Second, false); !back.Equal(at(69)) {
		t.Errorf("the one behind it comes back %s later", back.Sub(at(60)))
	}
}

// Whatever processes do, the permits held never exceed the limit, no permit is free while a group waits, no group
// loses a permit before it expires, and the item stores all of that.
func TestInvariantsOfALimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "permits")
		var s limits.State
		now := 0
		for range 60 {
			now += rapid.IntRange(0, 8).Draw(t, "later")
			before := s
			token := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "group")
			have := before.Group(token).Have
			s = with(s, token, n, rapid.IntRange(0, have).Draw(t, "keeps"), rapid.IntRange(0, 3).Draw(t, "wants"), now)
			claim, err := s.Claim()
			if err != nil {
				t.Fatal(err)
			}
			stored, err := limits.Of("k", claim)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(stored.Groups, s.Groups) || stored.Freed != s.Freed || stored.Mean != s.Mean {
				t.Fatalf("%+v is stored as %+v", s, stored)
			}
			if s = stored; s.Held() > n {
				t.Fatalf("%d permits of %d are held", s.Held(), n)
			}
			for _, g := range s.Groups {
				if g.Want > 0 && g.Waits > at(now).UnixMilli() && s.Held() < n {
					t.Fatalf("a permit is free, and group %s wants one: %+v", g.Token, s.Groups)
				}
			}
			for _, g := range before.Groups {
				if g.Token != token && g.Until > at(now).UnixMilli() && s.Group(g.Token).Have < g.Have {
					t.Fatalf("group %s has lost a permit: %+v, %+v", g.Token, before.Groups, s.Groups)
				}
			}
		}
	})
}

// Whatever attempts do, no span exceeds the rate, and rounding loses at most a fiftieth of the span.
func TestInvariantsOfARate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "permits")
		span := time.Duration(rapid.IntRange(1, 100_000).Draw(t, "span")) * time.Millisecond
		now := at(0)
		var s limits.State
		var taken []time.Time
		for range 60 {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(span/2)).Draw(t, "later")))
			s = s.Declares(n, span.Milliseconds(), now)
			latest := now.Add(time.Duration(rapid.Int64Range(0, int64(2*span)).Draw(t, "ahead")))
			got, next := s.Pass(rapid.IntRange(1, 3).Draw(t, "wants"), n, span, now, latest)
			for _, one := range got {
				if one.Before(now) || one.After(latest.Add(time.Millisecond)) {
					t.Fatalf("a permit from %s on, between %s and %s", one, now, latest)
				}
				taken = append(taken, one)
				if m := len(taken); m > n && one.Sub(taken[m-1-n]) < span {
					t.Fatalf("%d permits within %s, it is %d in %s", n+1, one.Sub(taken[m-1-n]), n, span)
				}
			}
			if m := len(taken); m >= n && next.Sub(taken[m-n]) > span+max(span/50, time.Millisecond)+time.Millisecond && next.After(now) {
				t.Fatalf("the next permit is free %s after the one that it follows, the span is %s", next.Sub(taken[m-n]), span)
			}
			claim, err := s.Claim()
			if err != nil {
				t.Fatal(err)
			}
			if s, err = limits.Of("k", claim); err != nil {
				t.Fatal(err)
			}
		}
		if len(s.Passed) > 52*3 {
			t.Fatalf("the item has %d times", len(s.Passed))
		}
	})
}

func TestAClosedRateHasNoPermits(t *testing.T) {
	t.Parallel()
	s := limits.State{}.WithSetRate(limits.Closed, 0, "ops", at(0))
	if taken, next := s.Pass(1, 5, time.Second, at(1), at(2)); len(taken) != 0 || !next.IsZero() {
		t.Errorf("%v, the next at %s", taken, next)
	}
	s = s.WithSetRate(1, time.Minute, "ops", at(2))
	if taken, next := s.Pass(2, 5, time.Second, at(3), at(4)); len(taken) != 1 || next.Sub(at(3)) < time.Minute {
		t.Errorf("%v, the next at %s", taken, next)
	}
}

func TestAKeyIsInItsList(t *testing.T) {
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

func TestDamagedItemsAreReported(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"", "7", `{"groups":[[1,"t"]]}`, `{"passed":[["1#2"]]}`} {
		if _, err := limits.Of("k", store.Claim{Attempt: 1, Token: token}); err == nil {
			t.Errorf("%q is taken for what is stored of a limit", token)
		}
	}
}
