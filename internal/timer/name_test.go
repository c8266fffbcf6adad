package timer_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/internal/timer"
)

// The names are part of what is stored outside: a build with other names would
// not find the schedules of the one before.
func TestNamesStayTheSameFromBuildToBuild(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name               string
		instance           string
		execution, eventID int64
		round              []int64
		want               string
	}{
		{"a short instance stands in full", "order-1", 1, 7, nil, "order-1.1.7.ad16bf0ab925f55507121ef3adbc467a5d733055"},
		{"a long instance is cut short", strings.Repeat("order-", 20), 2, 70, nil, "order-order-order-.2.70.e3a6a2753ccf8ca1cbd1f43980018ed66b071cf3"},
		{"what a name can't have is replaced", "kunde/ü 7", 1, 7, nil, "kunde___7.1.7.dbc42e30d32ddfc17175dd4f49e09b635e1f6026"},
		{"the largest numbers leave the hash", "order-1", 1<<63 - 1, 1<<63 - 1, nil, "125bcd30df8ac18166c00bb89e17c1b6b842b9ff"},
		{"a round has a hash of its own", "order-1", 1, 7, []int64{1, 1900000000000}, "order-1.1.7.802130195caf6d1fbba8e803965db7a60c21132c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := timer.Name(c.instance, c.execution, c.eventID, 1_900_000_000_000, c.round...); got != c.want {
				t.Errorf("Name(%q, %d, %d, %d) = %q, want %q", c.instance, c.execution, c.eventID, c.round, got, c.want)
			}
		})
	}
}

func TestEveryEventHasAUniqueValidName(t *testing.T) {
	t.Parallel()
	type event struct {
		instance                 string
		execution, eventID, atMS int64
		round                    []int64
	}
	events := rapid.Custom(func(t *rapid.T) event {
		return event{rapid.String().Draw(t, "instance"), rapid.Int64Range(0, 3).Draw(t, "execution"), rapid.Int64Min(0).Draw(t, "event"), rapid.Int64Range(0, 3).Draw(t, "time"),
			rapid.SliceOfN(rapid.Int64Range(0, 3), 0, 2).Draw(t, "round")}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := events.Draw(t, "a"), events.Draw(t, "b")
		na, nb := timer.Name(a.instance, a.execution, a.eventID, a.atMS, a.round...), timer.Name(b.instance, b.execution, b.eventID, b.atMS, b.round...)
		if (na == nb) != reflect.DeepEqual(a, b) {
			t.Fatalf("names %q and %q of %v and %v", na, nb, a, b)
		}
		s := timer.Schedule{Name: na, Due: time.Unix(1, 0), Body: "x"}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}
