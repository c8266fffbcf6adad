package views_test

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
)

func TestALimitSaysWhoHoldsAndWhoWaits(t *testing.T) {
	t.Parallel()
	l := client.Limit{Key: "stripe", Permits: 5, Declared: 10, Set: 5, SetAt: noon.Add(-time.Hour), Taken: 1,
		Held:    []client.LimitHolder{{Instance: "order-1", EventID: 3, Attempt: 2, Since: noon.Add(-time.Minute), Until: noon.Add(time.Minute)}},
		Waiting: []client.LimitWaiter{{Instance: "order-2", EventID: 4, Attempt: 1, Since: noon.Add(-2 * time.Minute), Due: noon.Add(time.Minute)}}}
	if got, want := piped(func(s *term.Screen) { views.Limits(s, noon, []client.Limit{l, {Key: "idle", Permits: 1}}) }), "stripe\t5\t1\t1\t2m00s ago\tunknown\tactivities\nidle\t1\t0\t0\t–\t–\tactivities\n"; got != want {
		t.Errorf("listed is %q, want %q", got, want)
	}
	var out strings.Builder
	views.Limit(&out, noon, &l)
	says(t, out.String(), "limit       stripe\npermits     5, 1 held\nin code     10\nchanged     set to 5 by an unknown actor, ", "(1h00m ago)", "\nheld by\n  order-1", "event 3, attempt 2", "\nwaiting\n  order-2", "event 4, attempt 1", "expected to start in 1m00s\n")
}

func TestALimitOfInstancesSaysWhoRunsAndTheStatusOfItsCoordinator(t *testing.T) {
	t.Parallel()
	l := client.Limit{Key: "import ada", Instances: true, Coordinator: "limit:import ada", CoordinatorStatus: client.StatusStuck, Permits: 2, Declared: 2, Length: 60, Taken: 1,
		Held:    []client.LimitHolder{{Instance: "order-1", ExecutionID: 3, Since: noon.Add(-time.Minute)}},
		Waiting: []client.LimitWaiter{{Instance: "order-2", Since: noon.Add(-2 * time.Minute)}}}
	if got, want := piped(func(s *term.Screen) { views.Limits(s, noon, []client.Limit{l}) }), "import ada\t2\t1\t60\t2m00s ago\t–\tinstances, coordinator is stuck\n"; got != want {
		t.Errorf("listed is %q, want %q", got, want)
	}
	var out strings.Builder
	views.Limit(&out, noon, &l)
	says(t, out.String(), "of          instances, coordinator is stuck\ncoordinator limit:import ada\nwaiting     60\n", "  order-1", "execution 3", "waiting\n  1", "order-2")
}

// Two builds that declare other numbers for one key are seen.
func TestALimitSaysThatTheCodeHasTwoNumbers(t *testing.T) {
	t.Parallel()
	for want, l := range map[string]client.Limit{
		"in code     20, and 5 in other code: the lower number applies\n":                                     {Key: "k", Permits: 5, Declared: 20, Other: 5, OtherAt: noon},
		"in code     20 per 1s, and 5 per 1m0s in other code: each attempt uses the number in its own code\n": {Key: "k", Rate: true, Permits: 20, Per: 1000, Declared: 20, DeclaredPer: 1000, Other: 5, OtherPer: 60_000, OtherAt: noon},
		"in code     3, and 2 until " + plain.Moment(noon) + "\n":                                             {Key: "k", Instances: true, CoordinatorStatus: client.StatusRunning, Permits: 3, Declared: 3, Other: 2, OtherAt: noon},
	} {
		var out strings.Builder
		views.Limit(&out, noon, &l)
		says(t, out.String(), want)
	}
	l := client.Limit{Key: "k", Permits: 5, Declared: 20, Other: 5, OtherAt: noon}
	if got, want := piped(func(s *term.Screen) { views.Limits(s, noon, []client.Limit{l}) }), "k\t5\t0\t0\t–\t–\tactivities, the code declares 20 and 5\n"; got != want {
		t.Errorf("listed is %q, want %q", got, want)
	}
}
