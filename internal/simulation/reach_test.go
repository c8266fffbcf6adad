package simulation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/simulation"
	"github.com/turnstile-go/turnstile/internal/stage"
)

// reachable returns the ids that must be reached, some of them in several places.
func reachable() []string {
	var ids []string
	for _, g := range []struct {
		name string
		n    int
	}{{"I", 8}, {"M", 18}, {"W", 14}} {
		for i := 1; i <= g.n; i++ {
			// W-10 is for real processes.
			switch id := fmt.Sprintf("%s-%02d", g.name, i); id {
			case "W-10":
			case "W-01":
				ids = append(ids, id+", not read", id+", read", id+", inline results")
			case "W-06":
				ids = append(ids, id+", not sent", id+", sent", id+", sent anew")
			default:
				ids = append(ids, id)
			}
		}
	}
	return append(ids, "A-05", "A-14, a durable inline activity", "A-14, a batch", "W-08, an inline activity", "queue", "queue, nobody serves it", "fair, in its turn", "limit", "rate", "limit, taken", "limit, given", "limit, called", "limit, looked", "limit, closed", "rate, set", "I-06, status goes on", "I-06, status as it runs", "I-06, a state again", "query", "query, of what is parked", "M-10, as sent", "P-03", "side by side", "side by side, crash", "outage", "crowd", "side by side, dispatch", "dispatch, stops short", "redrive, taken over in several commits", "fork, taken over in several commits", "shared call", "shared call, of one group", "entry refused",
		"R-03, strict", "V-01, asked for", "V-01, the newest", "V-01, a newer one is there", "V-02", "V-03, asked for", "V-03, the newest", "formats", "formats, who asked", "labels", "expired", "O-04", "restarted", "rule 14, resumed", "rule 14, imposed", "rule 14, stuck and suspended", "I-06, suspended", "O-09", "O-12", "O-12, in the middle", "O-12, of one that runs", "O-12, a key", "O-12, refused", "O-12, both ways", "O-11", "O-11, deleted", "O-11, of one that runs", "L-04", "R-08", "R-08, restored", "rule 13, dropped", "E-09", "K-09", "A-11, details", "T-01, where nothing goes wrong", "T-09", "T-09, early", "T-09, a schedule", "A-18", "A-18, its own message", "A-13", "A-13, a limit to come", "A-13, where nothing goes wrong", "the gate, a redrive",
		"a renewal is refused", "old receipt", "old receipt, acts", "retention", "retention, a child", "A-11, another attempt", "a commit without an answer", "a timer is lost", "a client gives up", "entry refused, visibility", "an old dead letter",
		"L-02, the longest of a result", "L-02, the longest of an input", "L-02, the longest of an output", "L-02, the longest of the data of an event", "L-02, the longest of the text of a failure", "L-02, too large", "L-02, a child", "L-02, detached", "rejected ActivityExecute", "rejected ActivityCompleted", "rejected StartOrchestration", "rejected SubOrchCompleted")
}

// Random schedules reach every scenario of groups I, M and W, P-03, R-03's strict mode, L-04, R-08, V-01 to V-03, and
// concurrent turns within a process. The test ends with the schedule that reaches the last of them; make prove prints
// a table of how often each is reached.
func TestEveryScenarioIsReached(t *testing.T) {
	t.Parallel()
	const budget = 2000
	ids := reachable()
	left, reached := map[string]bool{}, map[string]int{}
	for _, id := range ids {
		left[id] = true
	}
	ran := uint64(0)
	for ; ran < budget && (len(left) > 0 || stage.Proving()); ran++ {
		var r simulation.Result
		if ran%10 == 9 { // Few runs are near limits, and few of their values are as long as their limit.
			var err error
			if r, err = simulation.RunBiased(4_000_000+ran/10, "near limits", false); err != nil {
				t.Fatal(err)
			}
		} else {
			r = simulation.Run(4_000_000+ran, false)
		}
		report(t, &r)
		if t.Failed() {
			return
		}
		for id, n := range r.Reached {
			reached[id] += n
			delete(left, id)
		}
	}
	var table strings.Builder
	for _, id := range ids {
		fmt.Fprintf(&table, "%-22s %8d\n", id, reached[id])
		if reached[id] == 0 {
			t.Errorf("%s is never reached in %d schedules", id, ran)
		}
	}
	t.Logf("times that the situation of each scenario was reached in %d schedules:\n%s", ran, table.String())
}
