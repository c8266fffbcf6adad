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
		{"a short instance stands in full", "order-1", 1, 7, nil, "order-1.1.7.f7a8ecca560cad092d08418bb335dbf9466b4337"},
		{"a long instance is cut short", strings.Repeat("order-", 20), 2, 70, nil, "order-order-order-.2.70.7d7cad66b65ef3c79aba930e624cfa48d7fe3817"},
		{"what a name can't have is replaced", "kunde/ü 7", 1, 7, nil, "kunde___7.1.7.24a424b4ca523e12a313a5b685af2fc8f3eb8462"},
		{"the largest numbers leave the hash", "order-1", 1<<63 - 1, 1<<63 - 1, nil, "50123d8a95d8304f6d6903f5742fffc4e797cca4"},
		{"a round has a hash of its own", "order-1", 1, 7, []int64{1, 1900000000000}, "order-1.1.7.31b5568f7f8cea7ff9e2185c4676e31e5b561154"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := timer.Name(c.instance, c.execution, c.eventID, c.round...); got != c.want {
				t.Errorf("Name(%q, %d, %d, %d) = %q, want %q", c.instance, c.execution, c.eventID, c.round, got, c.want)
			}
		})
	}
}

func TestEveryEventHasAValidNameOfItsOwn(t *testing.T) {
	t.Parallel()
	type event struct {
		instance           string
		execution, eventID int64
		round              []int64
	}
	events := rapid.Custom(func(t *rapid.T) event {
		return event{rapid.String().Draw(t, "instance"), rapid.Int64Range(0, 3).Draw(t, "execution"), rapid.Int64Min(0).Draw(t, "event"),
			rapid.SliceOfN(rapid.Int64Range(0, 3), 0, 2).Draw(t, "round")}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := events.Draw(t, "a"), events.Draw(t, "b")
		na, nb := timer.Name(a.instance, a.execution, a.eventID, a.round...), timer.Name(b.instance, b.execution, b.eventID, b.round...)
		if (na == nb) != reflect.DeepEqual(a, b) {
			t.Fatalf("names %q and %q of %v and %v", na, nb, a, b)
		}
		s := timer.Schedule{Name: na, Due: time.Unix(1, 0), Body: "x"}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}
