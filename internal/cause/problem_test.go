package cause_test

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/internal/cause"
)

// One changed line of an orchestration is one cause, whatever its instances have been given.
func TestADifferenceIsDistinguishedByEventsAndLineWithoutInputs(t *testing.T) {
	t.Parallel()
	for want, sides := range map[string][][3]string{
		`history has ActivityScheduled("Charge", …), the code at pay.go:41 started ActivityScheduled("Reserve", …) (name differs)`: {
			{`ActivityScheduled("Charge", input {"order":"o-1"})`, `started ActivityScheduled("Reserve", input {"order":"o-1"}) (name differs)`, "pay.go:41"},
			{`ActivityScheduled("Charge", input "acme (kind differs)" , inline)`, `started ActivityScheduled("Reserve", input {"note":"cut off… (500 bytes)) (name differs)`, "pay.go:41"},
			{`ActivityScheduled("Charge", input nothing) labelled "of \"acme\""`, `started ActivityScheduled("Reserve", input {"a":", input "}) (name differs) (this history is from before the patch "p", or a newer build, which has retired it, has recorded it)`, "pay.go:41"},
		},
		`history has SubOrchestrationScheduled("Ship", …), the code at a.go:7 started SubOrchestrationScheduled("Ship", …) (instance differs)`: {
			{`SubOrchestrationScheduled("Ship" instance "acme/emea", input 7)`, `started SubOrchestrationScheduled("Ship" instance "acme/apac", input 7) (instance differs)`, "a.go:7"},
		},
		`history has TimerCreated(# ms), the code started TimerCreated(# ms) (duration differs)`: {
			{`TimerCreated(5000 ms)`, `started TimerCreated(7 ms) (duration differs)`, ""},
			{`TimerCreated(60 ms) labelled "grace of acme"`, `started TimerCreated(61 ms) labelled "grace of acme" (duration differs)`, ""},
		},
		`history has OrchestrationCompleted(…), the code ended with OrchestrationFailed(application, …)`: {
			{`OrchestrationCompleted(output {"total":7})`, `ended with OrchestrationFailed(application: "acme: (name differs")`, ""},
		},
		`history has ExternalSubscribed("step 1"), the code at b.go:9 did not start it: it waits there on event "step 2"`: {
			{`ExternalSubscribed("step 1")`, `did not start it: it waits there on event "step 2"`, "b.go:9"},
		},
	} {
		keys := map[string]bool{}
		for i, s := range sides {
			c := cause.OfDifference("nondeterminism", fmt.Sprintf("in instance %d", i), "Order", s[0], s[1], s[2])
			if got := c.Pattern("o-1"); got != want {
				t.Errorf("%v\n is %s\nwant %s", s, got, want)
			}
			keys[c.Key("stuck", "o-1")] = true
		}
		if len(keys) != 1 {
			t.Errorf("%s has the keys %v", want, keys)
		}
	}
	one := cause.OfDifference("nondeterminism", "", "Order", `ActivityScheduled("A", input 1)`, `started ActivityScheduled("B", input 1) (name differs)`, "a.go:7")
	for name, other := range map[string]cause.Cause{
		"orchestration": cause.OfDifference("nondeterminism", "", "Ship", `ActivityScheduled("A", input 1)`, `started ActivityScheduled("B", input 1) (name differs)`, "a.go:7"),
		"event":         cause.OfDifference("nondeterminism", "", "Order", `ActivityScheduled("C", input 1)`, `started ActivityScheduled("B", input 1) (name differs)`, "a.go:7"),
		"line":          cause.OfDifference("nondeterminism", "", "Order", `ActivityScheduled("A", input 1)`, `started ActivityScheduled("B", input 1) (name differs)`, "a.go:8"),
		"difference":    cause.OfDifference("nondeterminism", "", "Order", `ActivityScheduled("A", input 1)`, `started ActivityScheduled("B", input 1) (input differs)`, "a.go:7"),
	} {
		if other.Key("stuck") == one.Key("stuck") {
			t.Errorf("another %s has the same key", name)
		}
	}
}

func TestAPanicIsDistinguishedByLineWithoutWhatItQuotes(t *testing.T) {
	t.Parallel()
	of := func(message, instance string) string {
		return cause.OfProblem("panic", message, "Order", instance).Key("stuck", instance)
	}
	one := of(`panic: no plan "gold \"x\"" for order o-1 at plan.go:12`, "o-1")
	if other := of(`panic: no plan "silver" for order o-2 at plan.go:12`, "o-2"); other != one {
		t.Error("what a panic quotes makes another key")
	}
	if other := of(`panic: no plan "silver" for order o-2 at plan.go:13`, "o-2"); other == one {
		t.Error("another line has the same key")
	}
	// Which version is not registered is no data.
	missing := func(version string) string {
		return cause.OfProblem("not_registered", fmt.Sprintf(`orchestration "Order" version %q is not registered`, version), "Order", "o-1").Key("stuck")
	}
	if missing("1") == missing("2") {
		t.Error("another version has the same key")
	}
}
