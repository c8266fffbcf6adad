//go:build unix

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/runtimeapi"
	"github.com/turnstile-go/turnstile/internal/smokeapp"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// TestProcesses runs the functions' own binaries. The two parts that bring many processes
// run one after the other, and then the others together.
func TestProcesses(t *testing.T) {
	t.Parallel()
	deployed(t)
	binary := func(function string) runtimeapi.Command {
		return runtimeapi.Command{Path: deployedFunction(t, function)}
	}
	both := fleetSpec{orchestrators: 4, workers: 3, orchestrator: binary("OrchestratorFunction"), worker: binary("ActivityFunction")}

	t.Run("several race for each instance and one commit wins each turn", func(t *testing.T) {
		s, ctx := deployed(t)
		spec := both
		spec.duplicates = 50
		f, stop := startFleet(ctx, t, s, spec)
		w := startWork(ctx, t, f, 20)
		w.finish(ctx, t, f, stop)
		conflicts, repeats := f.orchestrators.counted("Conflicts"), f.orchestrators.counted("Messages")
		t.Logf("%d batches went to two processes at once; conflicts %v; messages %v", f.duplicated, conflicts, repeats)
		if f.duplicated == 0 || len(conflicts) == 0 {
			t.Error("no two processes have raced for a commit: the test shows nothing")
		}
	})

	t.Run("W-10 in small: processes are killed in the middle and every instance finishes", func(t *testing.T) {
		s, ctx := deployed(t)
		spec := both
		spec.duplicates, spec.kills = 15, 60
		f, stop := startFleet(ctx, t, s, spec)
		w := startWork(ctx, t, f, 30)
		w.finish(ctx, t, f, stop)
		t.Logf("%d processes were killed with an invocation; %d batches went to two at once; commits resent %v; messages %v",
			f.killed, f.duplicated, f.orchestrators.counted("Resent"), f.orchestrators.counted("Messages"))
		if f.killed < 10 {
			t.Errorf("only %d processes were killed in the middle of an invocation: the test shows nothing", f.killed)
		}
	})

	t.Run("a timer goes through Scheduler and fires when it is due", func(t *testing.T) {
		t.Parallel()
		s, ctx := deployed(t)
		spec := both
		spec.orchestrators, spec.workers = 1, 1
		spec.orchestrator.Env = []string{"TURNSTILE_TIMER_BORDER=0", "TURNSTILE_TIMER_LEAST=1s"}
		f, stop := startFleet(ctx, t, s, spec)
		// A process that is held up has most of this to create the schedule: with less than
		// TIMER_LEAST left, the timer would go through the queue.
		run, err := client.Start(ctx, f.client, smokeapp.Timer, "30s", client.WithInstanceID(unique("timer")))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		f.drain(ctx, t)
		stop()
		events := checkedHistory(ctx, t, f.client, sample(), run.Instance)
		want := []history.Kind{history.OrchestrationStarted, history.TimerCreated, history.TimerFired, history.OrchestrationCompleted}
		if !slices.Equal(kinds(events), want) {
			t.Fatalf("history %v, want %v", kinds(events), want)
		}
		if due, fired := events[1].FireAtMS, events[2].AtMS; fired < due {
			t.Errorf("fired %d ms before it was due", due-fired)
		}
		// Scheduler delivers to the FIFO queue, everything else by the delay queue.
		if f.delivered[delivered{"delay", wire.TimerFired}] > 0 || f.delivered[delivered{"orchestrator", wire.TimerFired}] == 0 {
			t.Errorf("the timer did not go through Scheduler: %v", f.delivered)
		}
		s.awaitNoSchedules(ctx, t, run.Instance, 1, events)
	})

	t.Run("an activity that kills its worker on every delivery fails as lost", func(t *testing.T) {
		t.Parallel()
		s, ctx := deployed(t)
		f, stop := startFleet(ctx, t, s, fleetSpec{
			orchestrators: 1, workers: 1, orchestrator: self(t, "orchestrator"), worker: self(t, "activity"),
		})
		run, err := client.Start(ctx, f.client, doomed, "", client.WithInstanceID(unique("doomed")))
		if err != nil {
			t.Fatal(err)
		}
		got, err := run.Wait(ctx)
		if want := "Die lost on attempt 1"; err != nil || got != want {
			t.Errorf("outcome %q, %v, want %q", got, err, want)
		}
		f.drain(ctx, t)
		stop()
		// Three that leave no mark, five that leave one, and the one that finds the last.
		if n := f.delivered[delivered{"activity", wire.ActivityExecute}]; n < 9 {
			t.Errorf("the activity was delivered %d times, want nine at least", n)
		}
		checkedHistory(ctx, t, f.client, turnstile.NewApp(doomed.Implement(sufferTheLoss)), run.Instance)
	})
}

// work is a mix of instances whose outcomes are known.
type work struct {
	chains []*client.Run[int]
	orders []*client.Run[orders.Result]
	echoes []*client.Run[string]
}

// steps of each chain.
const steps = 6

// startWork starts n instances. Every approval and every signal is sent twice,
// with one sender's id: over the FIFO queue and over the delay queue, so that
// the two meet; half of the approvals before the start, half when the order is
// under way.
func startWork(ctx context.Context, t *testing.T, f *fleet, n int) work {
	t.Helper()
	var w work
	var late []string
	for i := range n {
		var err error
		switch i % 3 {
		case 0:
			var run *client.Run[int]
			run, err = client.Start(ctx, f.client, smokeapp.Chain, steps, client.WithInstanceID(unique("chain")))
			w.chains = append(w.chains, run)
		case 1:
			var run *client.Run[orders.Result]
			id := unique("order")
			if i%2 == 0 {
				f.approveTwice(ctx, t, id)
			} else {
				late = append(late, id)
			}
			run, err = client.Start(ctx, f.client, orders.Fulfil, order(id), client.WithInstanceID(id))
			w.orders = append(w.orders, run)
		case 2:
			var run *client.Run[string]
			id := unique("echo")
			run, err = client.Start(ctx, f.client, smokeapp.Echo, struct{}{}, client.WithInstanceID(id))
			f.raiseTwice(ctx, t, id, smokeapp.Signal.Name(), "here")
			w.echoes = append(w.echoes, run)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range late {
		f.approveTwice(ctx, t, id)
	}
	return w
}

func (f *fleet) approveTwice(ctx context.Context, t *testing.T, id string) {
	t.Helper()
	f.raiseTwice(ctx, t, id, orders.Approved.Name(), orders.Approval{By: "Grace", Approved: true})
}

func (f *fleet) raiseTwice(ctx context.Context, t *testing.T, instance, name string, data any) {
	t.Helper()
	payload, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	item := wire.Item{V: wire.Version, Kind: wire.ExternalRaised, Instance: instance, ID: "e", Name: name, Data: payload}
	body, err := item.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.queues.delay.send(ctx, string(body)); err != nil {
		t.Fatal(err)
	}
	if err := f.client.Raise(ctx, client.RaiseRequest{Instance: instance, Name: name, DeduplicationID: "e", Data: payload}); err != nil {
		t.Fatal(err)
	}
}

// finish waits for every instance, lets the queues run empty, and checks the
// outcomes, the histories, and that nothing was given up on the way.
func (w work) finish(ctx context.Context, t *testing.T, f *fleet, stop func()) {
	t.Helper()
	started := time.Now()
	for _, run := range w.chains {
		if got, err := run.Wait(ctx); err != nil || got != steps {
			t.Errorf("chain %s: %d, %v, want %d", run.Instance, got, err, steps)
		}
	}
	for _, run := range w.orders {
		if got, err := run.Wait(ctx); err != nil || got.Status != "shipped" || got.Charged != 2998 || got.By != "Grace" {
			t.Errorf("order %s: %+v, %v", run.Instance, got, err)
		}
	}
	for _, run := range w.echoes {
		if got, err := run.Wait(ctx); err != nil || got != "here" {
			t.Errorf("echo %s: %q, %v", run.Instance, got, err)
		}
	}
	t.Logf("%d instances finished in %s", len(w.chains)+len(w.orders)+len(w.echoes), time.Since(started).Round(time.Millisecond))
	if t.Failed() {
		return
	}
	f.drain(ctx, t)
	stop()
	w.check(ctx, t, f)
}

// drain waits until the queues are empty, and checks that nothing went to the
// dead-letter queues: I-07 for messages that are all good.
func (f *fleet) drain(ctx context.Context, t *testing.T) {
	t.Helper()
	q := f.queues
	eventually(ctx, t, "the queues do not run empty", func() bool {
		left := 0
		for _, each := range []*ownQueue{q.orchestrator, q.delay, q.activity, q.activityDead} {
			n, err := each.messages(ctx)
			if err != nil && ctx.Err() == nil {
				t.Fatal(err)
			}
			left += n
		}
		return left == 0 && ctx.Err() == nil
	})
	for _, each := range []*ownQueue{q.deadFIFO, q.dead} {
		if n, err := each.messages(ctx); err != nil || n > 0 {
			t.Errorf("I-07: %d messages in %s (%v), want none", n, each.name, err)
		}
	}
}

// check holds every history against what an undisturbed run leaves. An event
// twice, or one too few, is another history.
func (w work) check(ctx context.Context, t *testing.T, f *fleet) {
	t.Helper()
	chain := []history.Kind{history.OrchestrationStarted}
	for range steps {
		chain = append(chain, history.ActivityScheduled, history.ActivityCompleted)
	}
	chain = append(chain, history.OrchestrationCompleted)
	for _, run := range w.chains {
		if got := kinds(checkedHistory(ctx, t, f.client, sample(), run.Instance)); !slices.Equal(got, chain) {
			t.Errorf("chain %s: history %v, want %v", run.Instance, got, chain)
		}
	}
	for _, run := range w.orders {
		events := checkedHistory(ctx, t, f.client, sample(), run.Instance)
		counts := map[history.Kind]int{}
		for _, e := range events {
			counts[e.Kind]++
		}
		// Of the reminders, which were cancelled, the end may come in time or late.
		delete(counts, history.SubOrchestrationFailed)
		want := map[history.Kind]int{
			history.OrchestrationStarted: 1, history.ActivityScheduled: 2, history.ActivityCompleted: 2,
			history.SubOrchestrationScheduled: 2, history.SubOrchestrationCompleted: 1, history.TimerCreated: 1,
			history.ExternalSubscribed: 1, history.ExternalEvent: 1, history.OrchestrationCompleted: 1,
		}
		if got := fmt.Sprint(counts); got != fmt.Sprint(want) {
			t.Errorf("order %s: events %v, want %v", run.Instance, got, want)
		}
		f.stack.awaitNoSchedules(ctx, t, run.Instance, 1, events)
		for _, e := range events {
			if e.Kind != history.SubOrchestrationScheduled || e.Name != orders.Remind.Name() {
				continue
			}
			// Where the approval was there before them they were never sent.
			d, err := f.client.Describe(ctx, e.Instance)
			if !isNotFound(err) && (err != nil || d.Status != client.StatusCancelled) {
				t.Errorf("K-06: the reminders of %s, which it cancelled, are %s, %v", run.Instance, d.Status, err)
			}
		}
		shipment := []history.Kind{
			history.OrchestrationStarted, history.ActivityScheduled, history.ActivityCompleted, history.TimerCreated, history.TimerFired,
			history.ActivityScheduled, history.ActivityCompleted, history.OrchestrationCompleted,
		}
		if got := kinds(checkedHistory(ctx, t, f.client, sample(), run.Instance+"/shipment")); !slices.Equal(got, shipment) {
			t.Errorf("shipment of %s: history %v, want %v", run.Instance, got, shipment)
		}
	}
	for _, run := range w.echoes {
		counts := map[history.Kind]int{}
		for _, e := range checkedHistory(ctx, t, f.client, sample(), run.Instance) {
			counts[e.Kind]++
		}
		if counts[history.ExternalEvent] != 1 {
			t.Errorf("echo %s: the event that was sent twice under one id is recorded %d times", run.Instance, counts[history.ExternalEvent])
		}
	}
}
