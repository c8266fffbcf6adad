package names_test

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/names"
	"github.com/turnstile-go/turnstile/internal/wire"
)

func TestWhatPassesIsWhatTheContractTakes(t *testing.T) {
	t.Parallel()
	limits := wire.DefaultLimits()
	for _, c := range []struct {
		name       string
		check      func(string) string
		limit      int
		mayBeEmpty bool
	}{
		{"an instance id", names.Instance, limits.InstanceID, false},
		{"a name", names.Name, limits.Name, false},
		{"an event", names.Event, limits.Name, false},
		{"an update", names.Update, limits.Name - len(history.UpdatePrefix), false},
		{"a version", names.Version, limits.Name, true},
		{"an actor", names.Actor, limits.Name, true},
		{"a start id", names.ID, limits.ID, true},
		{"the key of a limit", names.LimitKey, limits.Name, false},
	} {
		for value, good := range map[string]bool{
			"":                             c.mayBeEmpty,
			"order-17/é":                   true,
			strings.Repeat("x", c.limit):   true,
			strings.Repeat("x", c.limit+1): false,
			"two\nlines":                   false,
			"a\u200eb":                     false,
			"a\u202eb":                     false,
			"a\u2028b":                     false,
			"a\ufeffb":                     false,
			"\xff":                         false,
		} {
			if problem := c.check(value); (problem == "") != good {
				t.Errorf("%s %.20q: the problem is %q", c.name, value, problem)
			}
		}
	}
}

func TestAnEventHasNoNameOfAnUpdate(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{history.UpdatePrefix, history.AnswerPrefix} {
		if problem := names.Event(prefix + "x"); !strings.Contains(problem, "use client.Update") {
			t.Errorf("the problem of %s is %q", prefix, problem)
		}
	}
}
