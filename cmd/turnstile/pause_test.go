package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/pausing"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
)

// fakeStack is event sources that take a look to change.
type fakeStack struct {
	sources []api.EventSource
	// done is what was turned, in order: "-orchestrator", "+activity".
	done []string
	// work is what is left in the activity queue at each look.
	work []int
	// refuse is the queue whose source cannot be turned.
	refuse string
	// named are the activity queues that have a name.
	named map[string]api.Queue
}

func newFakeStack() *fakeStack {
	s := &fakeStack{}
	// Lambda lists them in any order.
	for _, q := range []string{deadletter.Activity, deadletter.Delay, deadletter.Orchestrator, deadletter.ActivityDead} {
		s.sources = append(s.sources, api.EventSource{ID: "id-" + q, Queue: q, State: pausing.On, ChangedAt: epoch.Add(-time.Hour)})
	}
	return s
}

func (s *fakeStack) Sources(context.Context) ([]api.EventSource, error) {
	return slices.Clone(s.sources), nil
}

func (s *fakeStack) Source(_ context.Context, id string) (api.EventSource, error) {
	i := slices.IndexFunc(s.sources, func(e api.EventSource) bool { return e.ID == id })
	now := s.sources[i]
	switch now.State {
	case "Enabling":
		s.sources[i].State = pausing.On
	case "Disabling":
		s.sources[i].State = pausing.Off
	}
	return now, nil
}

func (s *fakeStack) Enable(_ context.Context, id string, on bool) error {
	i := slices.IndexFunc(s.sources, func(e api.EventSource) bool { return e.ID == id })
	queue := s.sources[i].Queue
	if queue == s.refuse {
		return errors.New("AccessDenied")
	}
	for _, other := range s.sources {
		if strings.HasSuffix(other.State, "ing") {
			return errors.New("the step before is not done")
		}
	}
	s.sources[i].State, s.sources[i].ChangedAt = "Disabling", epoch
	sign := "-"
	if on {
		s.sources[i].State, sign = "Enabling", "+"
	}
	s.done = append(s.done, sign+queue)
	return nil
}

func (s *fakeStack) Queue(_ context.Context, name string) (api.Queue, error) {
	q := api.Queue{Name: name}
	if strings.HasPrefix(name, deadletter.Activity+":") {
		full, there := s.named[name]
		if !there {
			return q, fmt.Errorf("%w %q", pausing.ErrNoQueue, name)
		}
		return full, nil
	}
	if name == deadletter.Activity && len(s.work) > 0 {
		q.Visible, s.work = s.work[0], s.work[1:]
		s.done = append(s.done, "look")
	}
	return q, nil
}

// paused is a bench over a fake stack.
func paused(t *testing.T) (*bench, *fakeStack) {
	b, s := newBench(t), newFakeStack()
	b.stack = s
	b.pause = func(ctx context.Context, d time.Duration) bool {
		b.clock.now = b.clock.now.Add(d)
		return ctx.Err() == nil
	}
	return b, s
}

func TestPauseStopsTurnsFirstAndActivitiesWhenTheyAreDone(t *testing.T) {
	t.Parallel()
	b, s := paused(t)
	s.work = []int{3, 1, 0}
	r := b.run("pause")
	if r.status != exitOK || !strings.Contains(r.err, "unpause before 2030-01-15 12:00 UTC") || !strings.Contains(r.out, "orchestrator\tDisabled\t0\t0\t0\n") {
		t.Errorf("%+v", r)
	}
	if got, want := strings.Join(s.done, " "), "-orchestrator -delay -activity-dead look look look -activity"; got != want {
		t.Errorf("it did %s, want %s", got, want)
	}
	// Once more changes nothing.
	s.done = nil
	if r := b.run("pause"); r.status != exitOK || len(s.done) != 0 || !strings.Contains(r.err, "paused already: orchestrator (turns)") {
		t.Errorf("%+v, %v", r, s.done)
	}
	if out := b.ok("unpause", "--output", "json"); !strings.Contains(out, `"state": "running"`) {
		t.Errorf("unpause prints %s", out)
	}
	if got, want := strings.Join(s.done, " "), "+orchestrator +delay +activity-dead +activity"; got != want {
		t.Errorf("it did %s, want %s", got, want)
	}
}

func TestPauseDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	b, s := paused(t)
	s.work = slices.Repeat([]int{7}, 100)
	if r := b.run("pause", "--drain", "5s"); r.status != exitOK || !strings.Contains(r.err, "not drained after 5s: 0 in turns, 0 activities running, 7 waiting") {
		t.Errorf("%+v", r)
	}
	b, s = paused(t)
	s.work = []int{7}
	b.ok("pause", "--drain", "0s")
	if got := strings.Join(s.done, " "); got != "-orchestrator -delay -activity-dead -activity look" {
		t.Errorf("it did %s", got) // The look is that of the table.
	}
}

func TestAPauseThatIsCutShortSaysHowToContinue(t *testing.T) {
	t.Parallel()
	b, s := paused(t)
	s.refuse = deadletter.ActivityDead
	b.fails(exitFailed, []string{"event source activity-dead", "AccessDenied", "`turnstile --stack shop pause` continues", "`turnstile --stack shop unpause` undoes it"}, "--stack", "shop", "pause")
	s.refuse = ""
	b.ok("pause")
	if got := strings.Join(s.done, " "); got != "-orchestrator -delay -activity-dead -activity" {
		t.Errorf("it did %s", got)
	}
	b, s = paused(t)
	s.work = []int{1, 1, 1}
	ctx, interrupt := context.WithCancel(t.Context())
	b.pause = func(context.Context, time.Duration) bool {
		if len(s.work) < 3 {
			interrupt()
		}
		return ctx.Err() == nil
	}
	if r := b.runWith(ctx, "", "pause"); r.status != exitInterrupted || !strings.Contains(r.err, "`turnstile pause` continues") {
		t.Errorf("%+v", r)
	}
	// A source that does not change is not waited for without end.
	b, s = paused(t)
	s.sources[2].State = "Updating"
	b.fails(exitFailed, []string{"has been Updating for more than 5m0s"}, "pause")
}

// By the SDK, over HTTP: the event sources of both functions are found, named by their
// queues, and turned.
func TestPauseTurnsTheEventSourcesOfTheStack(t *testing.T) {
	t.Parallel()
	state := map[string]string{"u-OrchestratorQueueUrl": "Enabled", "u-ActivityQueueUrl": "Enabled"}
	var turned []string
	describe := func(id string) string {
		queue := strings.TrimPrefix(id, "u-")
		if queue == "OrchestratorQueueUrl" {
			queue += ".fifo"
		}
		return fmt.Sprintf(`{"UUID":%q,"EventSourceArn":"arn:aws:sqs:eu-central-1:123456789012:%s","FunctionArn":"f","State":%q,"LastModified":1893495600}`, id, queue, state[id])
	}
	c := &cloud{outputs: complete(), lambda: func(w http.ResponseWriter, r *http.Request, body []byte) {
		w.Header().Set("Content-Type", "application/json")
		id := path.Base(r.URL.Path)
		switch {
		case r.Method == http.MethodPut:
			turned = append(turned, id+" "+string(body))
			state[id] = "Disabled"
			fmt.Fprint(w, describe(id))
		case r.URL.Query().Get("FunctionName") == "t-OrchestratorFunction":
			fmt.Fprintf(w, `{"EventSourceMappings":[%s]}`, describe("u-OrchestratorQueueUrl"))
		case r.URL.Query().Get("FunctionName") == "t-ActivityFunction":
			fmt.Fprintf(w, `{"EventSourceMappings":[%s]}`, describe("u-ActivityQueueUrl"))
		default:
			fmt.Fprint(w, describe(id))
		}
	}}
	r := runOn(t, c, nil, "--stack", "turnstile-dev", "pause")
	if r.status != exitOK || !strings.Contains(r.out, "activity\tDisabled") || !strings.Contains(r.out, "orchestrator\tDisabled") {
		t.Errorf("%+v", r)
	}
	if got := strings.Join(turned, ", "); got != `u-OrchestratorQueueUrl {"Enabled":false}, u-ActivityQueueUrl {"Enabled":false}` {
		t.Errorf("turned were %s", got)
	}
}

func TestPauseRefuses(t *testing.T) {
	t.Parallel()
	b, _ := paused(t)
	b.fails(exitUsage, []string{"--drain"}, "pause", "--drain", "-1s")
	b.fails(exitUsage, []string{"takes no operands"}, "pause", "shop")
	b.stack = &fakeStack{}
	b.fails(exitFailed, []string{"no event sources", "template.yaml"}, "pause")
	b.stack = nil
	b.fails(exitFailed, []string{"stop it to pause it"}, "unpause")
}

func TestPauseStopsTheQueuesThatHaveANameWithTheActivities(t *testing.T) {
	b := newBench(t)
	s := newFakeStack()
	s.sources = slices.Insert(s.sources, 0, api.EventSource{ID: "id-gpu", Queue: "activity:gpu", State: pausing.On, ChangedAt: epoch.Add(-time.Hour)})
	b.stack = s
	b.ok("pause", "--drain", "0")
	at := slices.Index(s.done, "-activity:gpu")
	if len(s.done) != 5 || at < 3 || s.done[0] != "-orchestrator" {
		t.Errorf("it turned off %q", s.done)
	}
	s.done = nil
	b.ok("unpause")
	if len(s.done) != 5 || slices.Index(s.done, "+activity:gpu") < 3 {
		t.Errorf("it turned on %q", s.done)
	}
}

func TestOneQueueIsPausedAlone(t *testing.T) {
	t.Parallel()
	b, s := paused(t)
	s.sources = append(s.sources, api.EventSource{ID: "id-gpu", Queue: "activity:gpu", State: pausing.On, ChangedAt: epoch.Add(-time.Hour)})
	s.named = map[string]api.Queue{"activity:gpu": {Name: "activity:gpu", Visible: 4}}
	s.work = []int{7, 7, 7}
	r := b.run("pause", "--queue", "gpu")
	if r.status != exitOK || !strings.Contains(r.err, "queue gpu is paused") || !strings.Contains(r.out, "activity:gpu\tDisabled\t4\t0\t0\n") || !strings.Contains(r.out, "orchestrator\tEnabled") {
		t.Errorf("%+v", r)
	}
	b.ok("unpause", "--queue", "gpu")
	b.ok("pause", "--queue", "default")
	b.ok("unpause") // Of all.
	got := slices.DeleteFunc(slices.Clone(s.done), func(did string) bool { return did == "look" })
	if want := []string{"-activity:gpu", "+activity:gpu", "-activity", "+activity"}; !slices.Equal(got, want) {
		t.Errorf("it did %v, want %v", got, want)
	}
	b.fails(exitNotFound, []string{`no activity queue "cpu"`}, "pause", "--queue", "cpu")
	b.fails(exitUsage, []string{"cannot be combined"}, "pause", "--queue", "gpu", "--drain", "1m")
	s.refuse = "activity:gpu"
	b.fails(exitFailed, []string{"`turnstile --stack shop pause --queue gpu` continues, `turnstile --stack shop unpause --queue gpu` undoes it"}, "--stack", "shop", "pause", "--queue", "gpu")
}
