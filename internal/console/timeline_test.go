package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

func path(instance string) string { return "instances/" + url.PathEscape(instance) }

func TestTimelineOfAnInstance(t *testing.T) {
	t.Parallel()
	b := looking(t)
	tl := get[api.Timeline](b, path(demo.Completed)+"/timeline")
	if len(tl.Executions) != 1 || tl.Executions[0].Name != "Fulfil" || tl.Executions[0].End != "OrchestrationCompleted" || !tl.Executions[0].TurnsKnown {
		t.Fatalf("executions %+v", tl.Executions)
	}
	kinds := map[timeline.Kind]int{}
	for _, r := range tl.Rows {
		kinds[r.Kind]++
		if r.State == "open" || r.EndedAt.IsZero() {
			t.Errorf("row %+v goes on in an instance that is done", r)
		}
	}
	if kinds["activity"] == 0 || kinds["child"] == 0 || kinds["wait"] == 0 || len(tl.Ticks) < 5 || len(tl.Marks) < 2 {
		t.Errorf("rows by kind %v, %d ticks, %d marks", kinds, len(tl.Ticks), len(tl.Marks))
	}
	if tl.Bill == nil || tl.Bill.Dollars <= 0 || len(tl.Bill.Lines) < 4 || len(tl.Bill.LeftOut) == 0 {
		t.Errorf("bill %+v", tl.Bill)
	}
	b.do(http.MethodGet, "api/v1/instances/nobody/timeline", nil).fails(api.CodeNotFound)
	b.do(http.MethodGet, "api/v1/"+path(demo.Completed)+"/timeline?since=x", nil).fails(api.CodeInvalid)
	b.do(http.MethodGet, "api/v1/"+path(demo.Completed)+"/timeline?executions=0", nil).fails(api.CodeInvalid)
}

// What the code calls an operation is in the timeline, in the history and in a comparison.
func TestALabelIsShownWhereItsOperationIs(t *testing.T) {
	t.Parallel()
	b := looking(t)
	const label = "until the next report"
	timers := 0
	for _, r := range get[api.Timeline](b, path(demo.Continued)+"/timeline").Rows {
		if r.Kind == "timer" {
			timers++
		}
		if want := map[bool]string{true: label}[r.Kind == "timer"]; r.Label != want {
			t.Errorf("%s %s has the label %q, want %q", r.Kind, r.Name, r.Label, want)
		}
	}
	if timers == 0 {
		t.Error("the timeline has no timer")
	}
	labelled := 0
	for _, e := range get[api.Events](b, path(demo.Continued)+"/executions/1/events").Events {
		if e.Label == label && e.Kind == "TimerCreated" {
			labelled++
		}
	}
	if labelled != 1 {
		t.Errorf("%d events of the history have the label", labelled)
	}
	compared := 0
	for _, r := range difference(b, "all=true&a="+demo.Continued+"&a_execution=1&b="+demo.Continued+"&b_execution=2").Rows {
		if r.Kind == "timer" && r.Label == label {
			compared++
		}
	}
	if compared != 1 {
		t.Errorf("%d rows of the comparison have the label", compared)
	}
}

// What has changed since an event, put over what was there, is what is there.
func TestTimelineSinceAnEventHasWhatChanged(t *testing.T) {
	t.Parallel()
	b := looking(t)
	for _, id := range []string{demo.Completed, demo.Waiting, demo.Continued, demo.Cancelled} {
		all := get[api.Timeline](b, path(id)+"/timeline")
		if none := get[api.Timeline](b, path(id)+"/timeline?since="+all.Last); len(none.Ticks) != 0 || none.Since != all.Last {
			t.Errorf("%s: since its last event there are %d ticks", id, len(none.Ticks))
		}
		middle := all.Ticks[len(all.Ticks)/2]
		since := position(middle)
		some := get[api.Timeline](b, path(id)+"/timeline?since="+since)
		changed := map[[2]int64]bool{}
		for _, r := range some.Rows {
			changed[[2]int64{r.ExecutionID, r.EventID}] = true
		}
		for _, r := range all.Rows {
			behind := func(event int64) bool {
				return r.ExecutionID > middle.ExecutionID || r.ExecutionID == middle.ExecutionID && event > middle.Last
			}
			if must := behind(r.EventID) || behind(r.CompletedBy) || behind(r.CancelledBy) || r.State == "open"; must && !changed[[2]int64{r.ExecutionID, r.EventID}] {
				t.Errorf("%s since %s: row %d of execution %d has changed and is left out", id, since, r.EventID, r.ExecutionID)
			}
		}
		if len(some.Ticks) >= len(all.Ticks) || len(some.Marks) != len(all.Marks) {
			t.Errorf("%s since %s: %d of %d ticks, %d of %d marks", id, since, len(some.Ticks), len(all.Ticks), len(some.Marks), len(all.Marks))
		}
	}
}

func position(k api.TimelineTick) string { return fmt.Sprintf("%d.%d", k.ExecutionID, k.Last) }

func TestPendingShowsWhichAttemptIsNextAndWhen(t *testing.T) {
	t.Parallel()
	b := looking(t)
	w := get[api.PendingOperations](b, path(demo.WaitsForChild)+"/waiting-for")
	if len(w.Leaves) == 0 || len(w.Leaves[0].Path) < 2 {
		t.Fatalf("leaves %+v", w.Leaves)
	}
	var texts []string
	for _, l := range w.Leaves {
		texts = append(texts, l.Text)
		if strings.Contains(l.Text, "follows") && !l.NextAt.After(w.Now) {
			t.Errorf("%+v follows at a time that has passed", l)
		}
	}
	if all := strings.Join(texts, "\n"); !strings.Contains(all, "attempt") {
		t.Errorf("leaves are\n%s", all)
	}
	if done := get[api.PendingOperations](b, path(demo.Completed)+"/waiting-for"); len(done.Operations) != 0 || done.Status != "completed" {
		t.Errorf("what is done waits for %+v", done.Operations)
	}
	b.do(http.MethodGet, "api/v1/instances/nobody/waiting-for", nil).fails(api.CodeNotFound)
}

func TestInspectTakesWhatTheExportWrites(t *testing.T) {
	t.Parallel()
	b := looking(t)
	for _, id := range []string{demo.Completed, demo.Failed, demo.Cancelled, demo.Terminated, demo.Waiting, demo.HostileMarkup, demo.HostileText} {
		text := b.do(http.MethodGet, "api/v1/"+path(id)+"/export", nil).Body.String()
		got := into[api.Inspected](b.do(http.MethodPost, "api/v1/inspect", api.Inspect{Text: text}))
		if len(got.Instances) != 1 || got.Kind != "history" {
			t.Fatalf("%s: %+v", id, got)
		}
		have, want := got.Instances[0], get[api.Instance](b, path(id))
		if have.Instance != id || have.Status != string(want.Status) || have.Name != want.Name {
			t.Errorf("%s is %s %s, in the file %s %s", id, want.Name, want.Status, have.Name, have.Status)
		}
		if live := get[api.Timeline](b, path(id)+"/timeline"); len(live.Rows) != len(have.Timeline.Rows) || live.Last != have.Timeline.Last {
			t.Errorf("%s: %d rows, in the file %d", id, len(live.Rows), len(have.Timeline.Rows))
		} else if x := have.Timeline.Executions[0]; !x.TurnsKnown || !slices.Equal(ticksOf(live, x.ExecutionID), have.Timeline.Ticks) {
			t.Errorf("%s: its turns are %+v, in the file %+v", id, live.Ticks, have.Timeline.Ticks)
		}
	}
	story, err := os.ReadFile("../simulation/testdata/story.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := into[api.Inspected](b.do(http.MethodPost, "api/v1/inspect", api.Inspect{Text: string(story)})); got.Kind != "story" || got.Text == "" {
		t.Errorf("the story is %+v", got)
	}
	b.do(http.MethodPost, "api/v1/inspect", api.Inspect{Text: "hello"}).fails(api.CodeInvalid)
	b.do(http.MethodPost, "api/v1/inspect", api.Inspect{Text: `{"v":1,"events":[{"event_id":1,"kind":"Forked","at_ms":1}]}`}).fails(api.CodeNewer)
	b.do(http.MethodPost, "api/v1/inspect", api.Inspect{Text: strings.Repeat(" ", 9<<20)}).fails(api.CodeTooLarge)
}

// ticksOf are the turns of one execution.
func ticksOf(t api.Timeline, execution int64) []api.TimelineTick {
	return slices.DeleteFunc(slices.Clone(t.Ticks), func(k api.TimelineTick) bool { return k.ExecutionID != execution })
}

// After each event the timeline has what was scheduled by then, and open is what was
// completed by no event until then.
func TestATimelineCanShowTheStateAfterEachEvent(t *testing.T) {
	t.Parallel()
	b := looking(t)
	whole := get[api.Timeline](b, path(demo.Completed)+"/timeline")
	final := map[int64]api.TimelineRow{}
	for _, r := range whole.Rows {
		final[r.EventID] = r
	}
	events := int64(whole.Executions[0].Events)
	opened := 0
	for n := int64(1); n <= events; n++ {
		tl := get[api.Timeline](b, fmt.Sprintf("%s/timeline?at=1.%d", path(demo.Completed), n))
		want := 0
		for id := range final {
			if id <= n {
				want++
			}
		}
		if len(tl.Rows) != want || tl.Last != fmt.Sprintf("1.%d", n) || tl.Now.After(whole.Now) || (tl.Executions[0].End == "") != (n < events) {
			t.Fatalf("after event %d it has %d rows of %d, last %s, now %s, end %q", n, len(tl.Rows), want, tl.Last, tl.Now, tl.Executions[0].End)
		}
		for _, r := range tl.Rows {
			f := final[r.EventID]
			if r.State == "open" {
				opened++
			}
			if completed := f.CompletedBy != 0 && f.CompletedBy <= n; completed != (r.CompletedBy != 0) || completed && r.State != f.State {
				t.Errorf("after event %d the row of event %d is %s, completed by %d; at the end %s by %d", n, r.EventID, r.State, r.CompletedBy, f.State, f.CompletedBy)
			}
			if r.State == "open" && f.CompletedBy == 0 && f.State == "done" {
				t.Errorf("after event %d the row of event %d is open, and was done at once", n, r.EventID)
			}
		}
	}
	if opened == 0 {
		t.Error("nothing was ever open: the test tests nothing")
	}
	if tl := get[api.Timeline](b, path(demo.Completed)+"/timeline?at=3"); tl.Last != "1.3" {
		t.Errorf("at event 3 of the current execution the last is %s", tl.Last)
	}
	if tl := get[api.Timeline](b, path(demo.Continued)+"/timeline?at=1.2"); len(tl.Executions) != 1 || tl.Last != "1.2" {
		t.Errorf("in the first execution of several it has %d executions, the last is %s", len(tl.Executions), tl.Last)
	}
	for at, code := range map[string]api.Code{"x": api.CodeInvalid, "1.0": api.CodeInvalid, "9.1": api.CodeNotFound, "1.2&since=1.1": api.CodeInvalid} {
		b.do(http.MethodGet, "api/v1/"+path(demo.Completed)+"/timeline?at="+at, nil).fails(code)
	}
}
