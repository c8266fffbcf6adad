package gating_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/gating"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	load  = turnstile.NewOrchestration[string, string]("Load")
	begin = turnstile.NewActivity[string, turnstile.None]("begin")
)

const most = 2

// floor is what the instances of a test do: each enters, begins, and takes an hour.
type floor struct {
	mu    sync.Mutex
	begun []string
}

func (f *floor) app() *turnstile.App {
	return turnstile.NewApp(load.Implement(func(ctx turnstile.Context, key string) (string, error) {
		if _, err := begin.Call(ctx, turnstile.Info(ctx).Instance); err != nil {
			return "", err
		}
		if again := strings.TrimPrefix(key, "again "); again != key {
			return "", load.ContinueAsNew(ctx, again)
		}
		return "done", turnstile.Sleep(ctx, time.Hour)
	}), begin.Implement(func(_ context.Context, instance string) (turnstile.None, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.begun = append(f.begun, instance)
		return turnstile.None{}, nil
	}))
}

// queued is the orchestration under the limit.
func queued(options ...turnstile.OrchestrationOption) turnstile.Orchestration[string, string] {
	return load.With(append(options, turnstile.Limit("k", most))...)
}

func (f *floor) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.begun, " ")
}

func start(env *turnstiletest.Env, n int) {
	for i := range n {
		turnstiletest.Start(env, queued(turnstile.InstanceID(fmt.Sprint("i", i))), "k")
		env.Advance(time.Second)
	}
}

func lineOf(t turnstiletest.T, env *turnstiletest.Env) (line gating.Line) {
	t.Helper()
	d, err := env.Client().Describe(context.Background(), gating.InstanceID("k"))
	if err != nil {
		t.Fatalf("%v", err)
	}
	if err := json.Unmarshal(d.CustomStatus, &line); err != nil {
		t.Fatalf("%s: %v", d.CustomStatus, err)
	}
	return line
}

func TestTheFirstRunAndTheOthersWaitInOrder(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 6)
	if line := lineOf(t, env); len(line.Running) != most || line.Length != 4 || line.Waiting[0].Instance != "i2" {
		t.Errorf("the gate shows %+v", line)
	}
	for _, want := range []string{"i0 i1", "i0 i1 i2 i3", "i0 i1 i2 i3 i4 i5"} {
		if got := f.String(); got != want {
			t.Errorf("begun are %s, want %s", got, want)
		}
		env.Advance(time.Hour)
	}
	if line := lineOf(t, env); len(line.Running)+line.Length != 0 {
		t.Errorf("all have ended, and the gate shows %+v", line)
	}
}

func TestEachEndFreesAPlace(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(context.Context, *client.Client, string) error{
		"cancel":    func(ctx context.Context, c *client.Client, id string) error { return c.Cancel(ctx, id, "enough") },
		"terminate": func(ctx context.Context, c *client.Client, id string) error { return c.Terminate(ctx, id, "enough") },
		"purge": func(ctx context.Context, c *client.Client, id string) error {
			return c.Purge(ctx, id, client.Force())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var f floor
			env := turnstiletest.New(t, f.app())
			start(env, 5)
			for _, id := range []string{"i2", "i0"} { // the first waits, the second has a place
				if err := end(t.Context(), env.Client(), id); err != nil {
					t.Fatal(err)
				}
				env.Advance(time.Second)
			}
			if got := f.String(); got != "i0 i1 i3" {
				t.Errorf("begun are %s", got)
			}
			env.Advance(3 * time.Hour)
			if got := f.String(); got != "i0 i1 i3 i4" {
				t.Errorf("begun are %s", got)
			}
			if line := lineOf(t, env); len(line.Running)+line.Length != 0 {
				t.Errorf("all have ended, and the gate shows %+v", line)
			}
		})
	}
}

// order gives the gate an order, as an operator does.
func order(t turnstiletest.T, env *turnstiletest.Env, o gating.Order) {
	t.Helper()
	var err error
	switch c := env.Client(); {
	case o.First != "":
		err = c.MoveToFront(context.Background(), o.First)
	case o.Close:
		err = c.SetInstanceLimit(context.Background(), "k", 0)
	case o.N < 0:
		err = c.ResetInstanceLimit(context.Background(), "k")
	default:
		err = c.SetInstanceLimit(context.Background(), "k", o.N)
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	env.Advance(time.Second)
}

func TestAnOperatorMovesOneToTheFront(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 6)
	order(t, env, gating.Order{First: "i4"})
	var invalid *turnstile.InvalidArgumentError
	if err := env.Client().MoveToFront(t.Context(), "i0"); !errors.As(err, &invalid) { // it runs
		t.Error(err)
	}
	if err := env.Client().MoveToFront(t.Context(), "nobody"); !errors.Is(err, client.ErrNotFound) {
		t.Error(err)
	}
	if line := lineOf(t, env); len(line.Running) != most || line.Length != 4 || line.Waiting[0].Instance != "i4" || line.Waiting[1].Instance != "i2" {
		t.Errorf("the gate shows %+v", line)
	}
	env.Advance(3 * time.Hour)
	if got := f.String(); got != "i0 i1 i4 i2 i3 i5" {
		t.Errorf("begun are %s", got)
	}
}

func TestAnOperatorSetsHowManyRun(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 4)
	order(t, env, gating.Order{N: 3})
	if got := f.String(); got != "i0 i1 i2" {
		t.Errorf("3 may run, begun are %s", got)
	}
	order(t, env, gating.Order{Close: true})
	if l, err := env.Client().InstanceLimit(t.Context(), "k"); err != nil || !l.Closed || l.Permits != 0 || len(l.Held) != 3 {
		t.Errorf("it is closed: %+v, %v", l, err)
	}
	order(t, env, gating.Order{N: 1}) // those that run are left alone
	if line := lineOf(t, env); line.N != 1 || line.Set != 1 || line.Declared != most || len(line.Running) != 3 {
		t.Errorf("the gate shows %+v", line)
	}
	turnstiletest.Start(env, queued(turnstile.InstanceID("i4")), "k") // its question names another number
	env.Advance(time.Hour)
	if got := f.String(); got != "i0 i1 i2 i3" {
		t.Errorf("1 may run, begun are %s", got)
	}
	order(t, env, gating.Order{N: -1})
	if line := lineOf(t, env); line.N != most || line.Set != 0 || f.String() != "i0 i1 i2 i3 i4" {
		t.Errorf("the number of the questions holds again: begun are %s, the gate shows %+v", f.String(), line)
	}
}

// Of two builds that declare other numbers for one key, the one that has started an instance last counts;
// the gate shows both.
func TestOfTwoNumbersTheNewestStartCounts(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, most+1)
	if line := lineOf(t, env); line.N != most || line.Other != 0 {
		t.Errorf("the gate shows %+v", line)
	}
	turnstiletest.Start(env, load.With(turnstile.InstanceID("newer"), turnstile.Limit("k", most+2)), "k")
	env.Advance(time.Second)
	if l, err := env.Client().InstanceLimit(t.Context(), "k"); err != nil || l.Permits != most+2 || len(l.Held) != most+2 || l.Other != most || l.OtherAt.IsZero() {
		t.Errorf("one more permit by a newer build: %+v, %v", l, err)
	}
	turnstiletest.Start(env, queued(turnstile.InstanceID("older")), "k")
	env.Advance(time.Second)
	if l, err := env.Client().InstanceLimit(t.Context(), "k"); err != nil || l.Permits != most || len(l.Held) != most+2 || l.Length != 1 || l.Other != most+2 {
		t.Errorf("a start by the older build: %+v, %v", l, err)
	}
}

// Two instances are gone, and their gate has not heard of their ends. It finds that within a day.
func TestAPlaceIsFreeADayAfterItsHolderIsGone(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, most+1)
	for i := range most {
		id, ended := fmt.Sprint("i", i), store.StatusTerminated
		if err := env.Store().UpdateRecord(t.Context(), id, store.RecordChange{Status: &ended}); err != nil {
			t.Fatal(err)
		}
		if err := env.Store().Hide(t.Context(), id, 1, env.Now().Add(15*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	env.Advance(23 * time.Hour)
	if line := lineOf(t, env); len(line.Running) != most || line.Length != 1 {
		t.Fatalf("the gate has heard of ends that nobody has told it: %+v", line)
	}
	env.Advance(2 * time.Hour)
	if line := lineOf(t, env); f.String() != "i0 i1 i2" || len(line.Running) != 0 {
		t.Errorf("begun are %s, the gate shows %+v", f.String(), line)
	}
}

// A suspended gate lets nobody in, and hears afterwards what has ended meanwhile.
func TestASuspendedGateLetsNobodyIn(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 4)
	gateID := gating.InstanceID("k")
	if err := env.Client().Suspend(t.Context(), gateID, "maintenance"); err != nil {
		t.Fatal(err)
	}
	env.Advance(2 * time.Hour)
	if got := f.String(); got != "i0 i1" {
		t.Errorf("the gate is suspended, begun are %s", got)
	}
	if err := env.Client().Resume(t.Context(), gateID, "done"); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Second)
	if got := f.String(); got != "i0 i1 i2 i3" {
		t.Errorf("the gate is resumed, begun are %s", got)
	}
}

// An order of another shape costs its sender, and not the gating.
func TestAnOrderThatCannotBeReadIsRejected(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 3)
	err := env.Client().Raise(t.Context(), client.RaiseRequest{Instance: gating.InstanceID("k"), Name: gating.Orders, Data: json.RawMessage(`{"n":"many"}`), CheckRunning: true})
	if err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Second)
	order(t, env, gating.Order{N: 3})
	if got := f.String(); got != "i0 i1 i2" {
		t.Errorf("begun are %s", got)
	}
}

// Who continues as new keeps the place, and the gate does not count it twice.
func TestAPlaceGoesOverIntoTheNextExecution(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	turnstiletest.Start(env, queued(turnstile.InstanceID("a")), "again k")
	env.Advance(time.Second)
	start(env, 2)
	if got := f.String(); got != "a a i0" {
		t.Errorf("begun are %s", got)
	}
	env.Advance(time.Hour + time.Minute)
	if got := f.String(); got != "a a i0 i1" {
		t.Errorf("begun are %s", got)
	}
}

// An instance that begins again is the last of the line.
func TestOneThatBeginsAgainWaitsAgain(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 4)
	if err := env.Client().Terminate(t.Context(), "i0", "enough"); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Second)
	if _, err := client.Start(t.Context(), env.Client(), queued(turnstile.InstanceID("i0")), "k", client.BeginAgain()); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Second)
	if got := f.String(); got != "i0 i1 i2" {
		t.Errorf("begun are %s", got)
	}
	env.Advance(2 * time.Hour)
	if got := f.String(); got != "i0 i1 i2 i3 i0" {
		t.Errorf("begun are %s", got)
	}
}

// One that is redriven waits for its turn as one that starts.
func TestOneThatIsRedrivenWaitsAgain(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]string{"it ran": "i0", "it waited": "i2"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var f floor
			env := turnstiletest.New(t, f.app())
			start(env, 4)
			if err := env.Client().Terminate(t.Context(), id, "enough"); err != nil {
				t.Fatal(err)
			}
			env.Advance(time.Second)
			if _, err := env.Client().Redrive(t.Context(), client.RedriveRequest{Instance: id}); err != nil {
				t.Fatal(err)
			}
			env.Advance(time.Second)
			if d, err := env.Client().Describe(t.Context(), id); err != nil || d.Status != client.StatusQueued || d.Suspension.LimitKey != "k" {
				t.Errorf("it is %s, %v", d.Status, err)
			}
			if line := lineOf(t, env); len(line.Running) != most || line.Waiting[line.Length-1].Instance != id {
				t.Errorf("the gate shows %+v", line)
			}
			env.Advance(4 * time.Hour)
			if d, err := env.Client().Describe(t.Context(), id); err != nil || d.Status != client.StatusCompleted {
				t.Errorf("it is %s, %v; begun are %s", d.Status, err, f.String())
			}
			if line := lineOf(t, env); len(line.Running)+line.Length != 0 {
				t.Errorf("all have ended, and the gate shows %+v", line)
			}
		})
	}
}

// A gate continues as new with those that run and wait.
func TestAGateContinuesAsNew(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	const all = 150
	for i := range all {
		turnstiletest.Start(env, queued(turnstile.InstanceID(fmt.Sprint("i", i))), "k")
		env.Advance(time.Second)
		if i == 0 {
			order(t, env, gating.Order{N: 3})
		}
		if i > 10 {
			env.Advance(29*time.Minute + 59*time.Second)
		}
	}
	env.Advance(8 * time.Hour)
	for i, got := range strings.Fields(f.String()) {
		if got != fmt.Sprint("i", i) {
			t.Fatalf("begun as number %d is %s", i, got)
		}
	}
	d, err := env.Client().Describe(t.Context(), gating.InstanceID("k"))
	if line := lineOf(t, env); line.N != 3 || line.Declared != most {
		t.Errorf("the number that was set is lost: the gate shows %+v", line)
	}
	if err != nil || d.ExecutionID < 2 || len(strings.Fields(f.String())) != all {
		t.Errorf("execution %d of the gate, %v, %d begun", d.ExecutionID, err, len(f.begun))
	}
}

// What a place costs: requests and dollars beside the instance that has it, as the page of limits
// over instances has them.
func TestWhatAPlaceCosts(t *testing.T) {
	t.Parallel()
	const instances = 100
	var f floor
	bill := func(start func(env *turnstiletest.Env, i int)) (requests int, dollars float64) {
		env := turnstiletest.New(t, f.app(), turnstiletest.KeepWarm())
		start(env, 0)
		env.Advance(2 * time.Hour)
		before := env.Bill()
		for i := range instances {
			start(env, i+1)
			env.Advance(30 * time.Minute)
		}
		env.Advance(2 * time.Hour)
		b := env.Bill().Minus(before)
		return b.Requests(), b.Dollars()
	}
	r0, d0 := bill(func(env *turnstiletest.Env, _ int) { turnstiletest.Start(env, load, "") })
	r1, d1 := bill(func(env *turnstiletest.Env, i int) {
		turnstiletest.Start(env, queued(turnstile.InstanceID(fmt.Sprint("i", i))), "k")
	})
	requests, dollars := float64(r1-r0)/instances, (d1-d0)/instances*1e6
	t.Logf("%.1f requests, $%.2f a million", requests, dollars)
	if requests > 19.5 || dollars > 18 {
		t.Errorf("a place makes %.1f requests and costs $%.2f a million, at most 19.5 and $18 are stated", requests, dollars)
	}
}

// Whatever call a process dies at, all run, and never more at once than may.
func TestAGateSurvivesCrashes(t *testing.T) {
	t.Parallel()
	var f floor
	turnstiletest.CrashTest(t, f.app(), func(env *turnstiletest.Env) {
		start(env, 4)
		if line := lineOf(t, env); len(line.Running) != most || line.Length != 2 {
			t.Errorf("the gate shows %+v", line)
		}
		if err := env.Client().Cancel(context.Background(), "i2", "enough"); err != nil {
			t.Error(err)
		}
		env.Advance(time.Minute)
		if line := lineOf(t, env); line.Length != 1 {
			t.Errorf("the gate shows %+v", line)
		}
		turnstiletest.Start(env, queued(turnstile.InstanceID("i4")), "k")
		env.Advance(time.Minute)
		order(t, env, gating.Order{First: "i4"})
		order(t, env, gating.Order{N: 1})
		if line := lineOf(t, env); line.N != 1 || len(line.Running) != most || line.Length != 2 || line.Waiting[0].Instance != "i4" {
			t.Errorf("the gate shows %+v", line)
		}
		env.Advance(3 * time.Hour)
		if line := lineOf(t, env); len(line.Running)+line.Length != 0 {
			t.Errorf("all have ended, and the gate shows %+v", line)
		}
	})
}

// In whatever order messages are taken, never more have a place than may, and all get one.
func TestNeverMoreRunThanMay(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		var f floor
		env := turnstiletest.New(t, f.app(), turnstiletest.WithRandomOrder(seed))
		const all = 6
		for i := range all { // all at once
			turnstiletest.Start(env, queued(turnstile.InstanceID(fmt.Sprint("i", i))), []string{"k", "again k"}[i%2])
		}
		const lowered = 6
		for step := range 24 {
			env.Advance(17 * time.Minute)
			inside := map[string]bool{}
			for _, id := range strings.Fields(f.String()) {
				if d, err := env.Client().Describe(t.Context(), id); err != nil || d.Status == client.StatusRunning {
					inside[id] = true
				}
			}
			may := most
			if step > lowered+4 { // those that ran when the number was lowered have ended
				may = 1
			}
			if len(inside) > may {
				t.Errorf("seed %d, step %d: %v are inside", seed, step, inside)
			}
			switch step {
			case 1:
				line := lineOf(t, env)
				order(t, env, gating.Order{First: line.Waiting[seed%uint64(line.Length)].Instance})
			case lowered:
				order(t, env, gating.Order{N: 1})
			}
			if id := fmt.Sprint("i", seed%all); step == 2 {
				if err := env.Client().Terminate(t.Context(), id, "enough"); err != nil {
					t.Error(err)
				}
			}
		}
		if line := lineOf(t, env); len(line.Running)+line.Length != 0 {
			t.Errorf("seed %d: the gate shows %+v", seed, line)
		}
	}
}

// A cancel of the gate has no effect.
func TestAGateIsNotCancelled(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 3)
	if err := env.Client().Cancel(t.Context(), gating.InstanceID("k"), "enough"); err != nil {
		t.Fatal(err)
	}
	env.Advance(3 * time.Hour)
	if got := f.String(); got != "i0 i1 i2" {
		t.Errorf("begun are %s", got)
	}
}

// A terminated gate leaves its instances alone: those that have a place run on, and those that wait
// go on waiting until the gate begins again with its custom status.
func TestATerminatedGateBeginsAgain(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 3)
	if err := env.Client().Terminate(t.Context(), gating.InstanceID("k"), "enough"); err != nil {
		t.Fatal(err)
	}
	env.Advance(3 * time.Hour)
	// The custom status is an input of the next run, so it goes on from there.
	d, err := env.Client().Describe(t.Context(), gating.InstanceID("k"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []client.Status{client.StatusCompleted, client.StatusCompleted, client.StatusQueued} {
		if d, err := env.Client().Describe(t.Context(), fmt.Sprint("i", i)); err != nil || d.Status != want {
			t.Errorf("i%d is %s, %v, want %s", i, d.Status, err, want)
		}
	}
	if _, err := env.Client().Start(t.Context(), client.StartRequest{Name: d.Name, Instance: d.Instance, Input: d.CustomStatus, BeginAgain: true}); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Minute)
	if got := f.String(); got != "i0 i1 i2" {
		t.Errorf("begun are %s", got)
	}
}

// A cancel ends the wait of an instance, whose code ends it; those that run go on.
func TestACancelledInstanceRunsNoActivity(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 3)
	if err := env.Client().Cancel(t.Context(), "i2", "enough"); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Second)
	if d, err := env.Client().Describe(t.Context(), "i2"); err != nil || d.Status != client.StatusCancelled || f.String() != "i0 i1" {
		t.Errorf("it is %s, %v; begun are %s", d.Status, err, f.String())
	}
	if line := lineOf(t, env); len(line.Running) != most || line.Length != 0 {
		t.Errorf("the gate shows %+v", line)
	}
}

// A resume by an operator has an instance begin beside the limit, and its turn comes all the same.
func TestAResumedInstanceBeginsAtOnce(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 3)
	if err := env.Client().Resume(t.Context(), "i2", "it is urgent"); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Second)
	if got := f.String(); got != "i0 i1 i2" {
		t.Errorf("begun are %s", got)
	}
	env.Advance(3 * time.Hour)
	if line := lineOf(t, env); len(line.Running)+line.Length != 0 || f.String() != "i0 i1 i2" {
		t.Errorf("all have ended, and the gate shows %+v; begun are %s", line, f.String())
	}
}

// An instance that somebody suspends while it waits is let in, and has its place when it is resumed.
func TestASuspendedInstanceKeepsItsPlace(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 4)
	if err := env.Client().Suspend(t.Context(), "i2", "not now"); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Second)
	if d, err := env.Client().Describe(t.Context(), "i2"); err != nil || d.Status != client.StatusSuspended {
		t.Errorf("it is %s, %v", d.Status, err)
	}
	env.Advance(time.Hour)
	if line := lineOf(t, env); f.String() != "i0 i1 i3" || len(line.Running) != most {
		t.Errorf("begun are %s, the gate shows %+v", f.String(), line)
	}
	if err := env.Client().Resume(t.Context(), "i2", "now"); err != nil {
		t.Fatal(err)
	}
	env.Advance(2 * time.Hour)
	if got := f.String(); got != "i0 i1 i3 i2" {
		t.Errorf("begun are %s", got)
	}
}

// The limit of an implementation holds for every start, also with a time at which it begins.
func TestTheLimitOfAnImplementationHoldsForEveryStart(t *testing.T) {
	t.Parallel()
	var f floor
	app := f.app()
	limited := turnstile.NewApp(load.With(turnstile.Limit("own", 1)).Implement(func(ctx turnstile.Context, _ string) (string, error) {
		return "done", turnstile.Sleep(ctx, time.Hour)
	}), turnstile.NewOrchestration[string, string]("Parent").Implement(func(ctx turnstile.Context, _ string) (string, error) {
		if _, err := load.With(turnstile.InstanceID("detached")).StartDetached(ctx, ""); err != nil {
			return "", err
		}
		return load.With(turnstile.InstanceID("child")).Call(ctx, "")
	}))
	if err := errors.Join(app.Err(), limited.Err()); err != nil {
		t.Fatal(err)
	}
	env := turnstiletest.New(t, limited)
	status := func(want map[string]client.Status) {
		t.Helper()
		for id, status := range want {
			if d, err := env.Client().Describe(t.Context(), id); err != nil || d.Status != status {
				t.Errorf("%s is %s, %v, want %s", id, d.Status, err, status)
			}
		}
	}
	turnstiletest.Start(env, load, "", client.WithInstanceID("later"), client.BeginAfter(90*time.Minute))
	turnstiletest.Start(env, load, "", client.WithInstanceID("first"))
	env.Advance(time.Minute)
	turnstiletest.Start(env, turnstile.NewOrchestration[string, string]("Parent"), "", client.WithInstanceID("parent"))
	env.Advance(time.Minute)
	status(map[string]client.Status{"first": client.StatusRunning, "later": client.StatusScheduled, "detached": client.StatusQueued, "child": client.StatusQueued})
	l, err := env.Client().InstanceLimit(t.Context(), "own")
	if err != nil || l.Permits != 1 || l.Length != 2 || l.GateStatus != client.StatusRunning || l.Held[0].Instance != "first" || l.Waiting[0].Instance != "detached" {
		t.Errorf("the limit is %+v, %v", l, err)
	}
	env.Advance(time.Hour)
	status(map[string]client.Status{"first": client.StatusCompleted, "detached": client.StatusRunning, "child": client.StatusQueued, "later": client.StatusScheduled})
	env.Advance(40 * time.Minute)
	status(map[string]client.Status{"detached": client.StatusRunning, "child": client.StatusQueued, "later": client.StatusQueued})
	env.Advance(3 * time.Hour)
	status(map[string]client.Status{"parent": client.StatusCompleted, "later": client.StatusCompleted})
}

// The limit of a start can be another than that of the implementation, and what cannot be is refused.
func TestALimitThatCannotBe(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	for name, o := range map[string]turnstile.Orchestration[string, string]{
		"no key":      load.With(turnstile.Limit("", 1)),
		"zero":        load.With(turnstile.Limit("k", 0)),
		"too many":    load.With(turnstile.Limit("k", 101)),
		"a large key": load.With(turnstile.Limit(strings.Repeat("x", 10_000), 1)),
	} {
		var invalid *turnstile.InvalidArgumentError
		if _, err := client.Start(t.Context(), env.Client(), o, ""); !errors.As(err, &invalid) {
			t.Errorf("%s: %v", name, err)
		}
		if err := turnstile.NewApp(o.Implement(func(turnstile.Context, string) (string, error) { return "", nil })).Err(); !errors.As(err, &invalid) {
			t.Errorf("%s: the app says %v", name, err)
		}
	}
	if err := env.Client().SetInstanceLimit(t.Context(), "unknown", 3); !errors.Is(err, client.ErrNotFound) {
		t.Error(err)
	}
}

// Orchestrations that declare other numbers for one key are refused where they are declared. Keys of
// activities are apart.
func TestAKeyHasOneLimit(t *testing.T) {
	t.Parallel()
	flow := func(name string, options ...turnstile.OrchestrationOption) turnstile.Part {
		return turnstile.NewOrchestration[string, string](name).With(options...).Implement(func(turnstile.Context, string) (string, error) { return "", nil })
	}
	act := turnstile.NewActivity[string, string]("Act").With(turnstile.Limit("k", 7)).Implement(func(context.Context, string) (string, error) { return "", nil })
	for name, c := range map[string]struct {
		parts []turnstile.Part
		want  string
	}{
		"other numbers": {[]turnstile.Part{flow("A", turnstile.Limit("k", 2)), flow("B", turnstile.Limit("k", 3))},
			`is 3 for the key "k", and orchestration "A" (registered at `},
		"other numbers in two versions": {[]turnstile.Part{flow("A", turnstile.Limit("k", 2)), flow("A", turnstile.Version("2"), turnstile.Limit("k", 3))},
			`is 3 for the key "k", and orchestration "A" (registered at `},
		"the same number":        {[]turnstile.Part{flow("A", turnstile.Limit("k", 2)), flow("B", turnstile.Limit("k", 2))}, ""},
		"other keys":             {[]turnstile.Part{flow("A", turnstile.Limit("k", 2)), flow("B", turnstile.Limit("l", 3))}, ""},
		"an activity of the key": {[]turnstile.Part{flow("A", turnstile.Limit("k", 2)), act}, ""},
	} {
		err := turnstile.NewApp(c.parts...).Err()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if _, is := errors.AsType[*turnstile.InvalidArgumentError](err); c.want != "" && !is {
			t.Errorf("%s: the error is %T", name, err)
		}
	}
}

// The line is bounded: who starts when it is full is terminated, with the reason.
func TestAFullLineTerminatesTheNext(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app(), turnstiletest.KeepWarm())
	long := strings.Repeat("x", 450)
	n := 0
	for ; n < gating.Longest; n++ { // By bytes, some 350 of such ids.
		turnstiletest.Start(env, queued(turnstile.InstanceID(fmt.Sprint(long, n))), "k")
		env.Advance(time.Second)
		if d, err := env.Client().Describe(t.Context(), fmt.Sprint(long, n)); err != nil || d.Status == client.StatusTerminated {
			if err != nil || !strings.Contains(d.Failure.Message, `the line of the limit "k" is full: `) {
				t.Errorf("%+v, %v", d.Failure, err)
			}
			break
		}
	}
	if n < 300 || n > 400 {
		t.Errorf("%d wait", n)
	}
	if line := lineOf(t, env); line.Length != n-most || len(line.Waiting) != gating.Shown {
		t.Errorf("the gate shows %d of %d", len(line.Waiting), line.Length)
	}
}

// A rerun, a redrive and a fork wait under the number of the newest build, whether the start before had it from
// the implementation, or named it by the same declaration.
func TestWhatRestartsHasTheNumberOfTheNewestBuild(t *testing.T) {
	t.Parallel()
	at := func(n int) turnstile.Orchestration[string, string] { return load.With(turnstile.Limit("own", n)) }
	app := func(n int) *turnstile.App {
		return turnstile.NewApp(at(n).Implement(func(ctx turnstile.Context, _ string) (string, error) {
			_, err := begin.Call(ctx, turnstile.Info(ctx).Instance)
			return "", errors.Join(err, turnstile.Sleep(ctx, time.Hour))
		}), begin.Implement(func(context.Context, string) (turnstile.None, error) { return turnstile.None{}, nil }))
	}
	for name, started := range map[string]turnstile.Orchestration[string, string]{"the implementation's": load, "the declaration's": at(3)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := turnstiletest.New(t, app(3))
			c := env.Client()
			for _, id := range []string{"rerun", "redriven", "forked"} {
				turnstiletest.Start(env, started, "", client.WithInstanceID(id))
			}
			env.Advance(time.Minute)
			for _, id := range []string{"rerun", "redriven", "forked"} {
				if err := c.Terminate(t.Context(), id, "a new build comes"); err != nil {
					t.Fatal(err)
				}
			}
			env.Advance(time.Minute)
			env.Deploy(app(1))
			_, err1 := c.Rerun(t.Context(), client.RerunRequest{Instance: "rerun"})
			_, err2 := c.Redrive(t.Context(), client.RedriveRequest{Instance: "redriven"})
			_, err3 := c.Redrive(t.Context(), client.RedriveRequest{Instance: "forked", As: "fork"})
			if err := errors.Join(err1, err2, err3); err != nil {
				t.Fatal(err)
			}
			env.Advance(time.Minute)
			statuses := map[client.Status]int{}
			for _, id := range []string{"rerun", "redriven", "fork"} {
				d, err := c.Describe(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				statuses[d.Status]++
			}
			if statuses[client.StatusRunning] != 1 || statuses[client.StatusQueued] != 2 {
				t.Errorf("the newest build lets one run: %v", statuses)
			}
			env.Advance(4 * time.Hour)
		})
	}
}

// A delayed start under a limit is scheduled until its time: it can be rescheduled, a resume ends the wait for the
// time alone, and one that is cancelled meanwhile needs no turn.
func TestADelayedStartWaitsForItsTimeAndThenForItsTurn(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	c := env.Client()
	start(env, most)
	for _, id := range []string{"moved", "resumed", "cancelled", "on time"} {
		turnstiletest.Start(env, queued(turnstile.InstanceID(id)), "k", client.BeginAfter(10*time.Minute))
	}
	env.Advance(time.Second)
	status := func(want map[string]client.Status) {
		t.Helper()
		for id, status := range want {
			if d, err := c.Describe(t.Context(), id); err != nil || d.Status != status {
				t.Errorf("%s is %s, %v, want %s", id, d.Status, err, status)
			}
		}
	}
	all := func(s client.Status) map[string]client.Status {
		return map[string]client.Status{"moved": s, "resumed": s, "cancelled": s, "on time": s}
	}
	status(all(client.StatusScheduled))
	if err := errors.Join(c.Reschedule(t.Context(), "moved", env.Now().Add(5*time.Hour)), c.Resume(t.Context(), "resumed", "now"), c.Cancel(t.Context(), "cancelled", "not at all")); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Minute)
	status(map[string]client.Status{"moved": client.StatusScheduled, "resumed": client.StatusQueued, "on time": client.StatusScheduled})
	env.Advance(10 * time.Minute)
	status(map[string]client.Status{"moved": client.StatusScheduled, "resumed": client.StatusQueued, "cancelled": client.StatusCancelled, "on time": client.StatusQueued})
	env.Advance(4 * time.Hour)
	status(map[string]client.Status{"moved": client.StatusScheduled, "resumed": client.StatusCompleted, "on time": client.StatusCompleted})
	env.Advance(3 * time.Hour)
	if got := f.String(); got != "i0 i1 resumed on time moved" {
		t.Errorf("begun are %s", got)
	}
}
