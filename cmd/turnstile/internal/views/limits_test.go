package views_test

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
)

func TestALimitSaysWhoHoldsAndWhoWaits(t *testing.T) {
	t.Parallel()
	l := client.Limit{Key: "stripe", Permits: 5, Declared: 10, Set: 5, SetAt: noon.Add(-time.Hour),
		Held:    []client.LimitHolder{{Instance: "order-1", EventID: 3, Attempt: 2, Since: noon.Add(-time.Minute), Until: noon.Add(time.Minute)}},
		Waiting: []client.LimitWaiter{{Instance: "order-2", EventID: 4, Attempt: 1, Since: noon.Add(-2 * time.Minute), Called: true}}}
	if got, want := piped(func(s *term.Screen) { views.Limits(s, noon, []client.Limit{l, {Key: "idle", Permits: 1}}) }), "stripe\t5\t1\t1\t2m00s ago\tsomebody\tactivities\nidle\t1\t0\t0\t–\t–\tactivities\n"; got != want {
		t.Errorf("listed is %q, want %q", got, want)
	}
	var out strings.Builder
	views.Limit(&out, noon, &l)
	says(t, out.String(), "limit     stripe\npermits   5, 1 held\nin code   10\nchanged   set to 5 by somebody, ", "(1h00m ago)", "\nheld by\n  order-1", "event 3, attempt 2", "\nwaiting\n  order-2", "event 4, attempt 1", "called\n")
}

func TestALimitOfInstancesSaysWhoRunsAndHowItsGateStands(t *testing.T) {
	t.Parallel()
	l := client.Limit{Key: "import ada", Instances: true, Gate: "limit:import ada", GateStatus: client.StatusStuck, Permits: 2, Declared: 2, Length: 60,
		Held:    []client.LimitHolder{{Instance: "order-1", ExecutionID: 3, Since: noon.Add(-time.Minute)}},
		Waiting: []client.LimitWaiter{{Instance: "order-2", Since: noon.Add(-2 * time.Minute)}}}
	if got, want := piped(func(s *term.Screen) { views.Limits(s, noon, []client.Limit{l}) }), "import ada\t2\t1\t60\t2m00s ago\t–\tinstances, its gate is stuck\n"; got != want {
		t.Errorf("listed is %q, want %q", got, want)
	}
	var out strings.Builder
	views.Limit(&out, noon, &l)
	says(t, out.String(), "of        instances, its gate is stuck\ngate      limit:import ada\nwaiting   60\n", "  order-1", "execution 3", "waiting\n  1", "order-2")
}
