package coordination_test

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
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	load  = turnstile.NewOrchestration[string, string]("Load")
	begin = turnstile.NewActivity[string, turnstile.None]("begin")
)

const most = 2

// floor records the instances of a test that have started. Each takes an hour.
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

// queued is the orchestration with the limit.
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

func stateOf(t turnstiletest.T, env *turnstiletest.Env) (state coordination.State) {
	t.Helper()
	d, err := env.Client().Describe(context.Background(), coordination.InstanceID("k"))
	if err != nil {
		t.Fatalf("%v", err)
	}
	if err := json.Unmarshal(d.States["status"].Value, &state); err != nil {
		t.Fatalf("%v: %v", d.States, err)
	}
	return state
}

func TestTheFirstRunAndTheOthersWaitInOrder(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 6)
	if state := stateOf(t, env); len(state.Running) != most || state.Length != 4 || state.Waiting[0].Instance != "i2" {
		t.Errorf("the gate shows %+v", state)
	}
	for _, want := range []string{"i0 i1", "i0 i1 i2 i3", "i0 i1 i2 i3 i4 i5"} {
		if got := f.String(); got != want {
			t.Errorf("begun are %s, want %s", got, want)
		}
		env.Advance(time.Hour)
	}
	if state := stateOf(t, env); len(state.Running)+state.Length != 0 {
		t.Errorf("all have ended, and the gate shows %+v", state)
	}
}

func TestEachEndReturnsThePermit(t *testing.T) {
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
			if state := stateOf(t, env); len(state.Running)+state.Length != 0 {
				t.Errorf("all have ended, and the gate shows %+v", state)
			}
		})
	}
}

// order sends the coordinator an order, as an operator does.
func order(t turnstiletest.T, env *turnstiletest.Env, o coordination.Order) {
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
	order(t, env, coordination.Order{First: "i4"})
	var invalid *turnstile.InvalidArgumentError
	if err := env.Client().MoveToFront(t.Context(), "i0"); !errors.As(err, &invalid) { // it runs
		t.Error(err)
	}
	if err := env.Client().MoveToFront(t.Context(), "nobody"); !errors.Is(err, client.ErrNotFound) {
		t.Error(err)
	}
	if state := stateOf(t, env); len(state.Running) != most || state.Length != 4 || state.Waiting[0].Instance != "i4" || state.Waiting[1].Instance != "i2" {
		t.Errorf("the gate shows %+v", state)
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
	order(t, env, coordination.Order{N: 3})
	if got := f.String(); got != "i0 i1 i2" {
		t.Errorf("3 may run, begun are %s", got)
	}
	order(t, env, coordination.Order{Close: true})
	if l, err := env.Client().InstanceLimit(t.Context(), "k"); err != nil || !l.Closed || l.Permits != 0 || len(l.Held) != 3 {
		t.Errorf("it is closed: %+v, %v", l, err)
	}
	order(t, env, coordination.Order{N: 1}) // running instances are left alone
	if state := stateOf(t, env); state.N != 1 || state.Set != 1 || state.Declared != most || len(state.Running) != 3 {
		t.Errorf("the gate shows %+v", state)
	}
	turnstiletest.Start(env, queued(turnstile.InstanceID("i4")), "k") // its question names another number
	env.Advance(time.Hour)
	if got := f.String(); got != "i0 i1 i2 i3" {
		t.Errorf("1 may run, begun are %s", got)
	}
	order(t, env, coordination.Order{N: -1})
	if state := stateOf(t, env); state.N != most || state.Set != 0 || f.String() != "i0 i1 i2 i3 i4" {
		t.Errorf("the number of the questions holds again: begun are %s, the gate shows %+v", f.String(), state)
	}
}

// If two builds declare different numbers for one key, the number of the build that started the last instance applies;
// the coordinator shows both.
func TestOfTwoNumbersTheNewestStartCounts(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, most+1)
	if state := stateOf(t, env); state.N != most || state.Other != 0 {
		t.Errorf("the gate shows %+v", state)
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

// Two instances are gone, and the coordinator has not received their ends. It notices within a day.
func TestAPermitIsFreeADayAfterItsHolderWasPurged(t *testing.T) {
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
	if state := stateOf(t, env); len(state.Running) != most || state.Length != 1 {
		t.Fatalf("the gate has heard of ends that nobody has told it: %+v", state)
	}
	env.Advance(2 * time.Hour)
	if state := stateOf(t, env); f.String() != "i0 i1 i2" || len(state.Running) != 0 {
		t.Errorf("begun are %s, the gate shows %+v", f.String(), state)
	}
}

// A suspended coordinator gives no permits, and afterwards receives the ends that it has missed.
func TestASuspendedCoordinatorAdmitsNoInstance(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 4)
	coordinatorID := coordination.InstanceID("k")
	if err := env.Client().Suspend(t.Context(), coordinatorID, "maintenance"); err != nil {
		t.Fatal(err)
	}
	env.Advance(2 * time.Hour)
	if got := f.String(); got != "i0 i1" {
		t.Errorf("the gate is suspended, begun are %s", got)
	}
	if err := env.Client().Resume(t.Context(), coordinatorID, "done"); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Second)
	if got := f.String(); got != "i0 i1 i2 i3" {
		t.Errorf("the gate is resumed, begun are %s", got)
	}
}

// An order with another shape is rejected, and does not affect the coordinator.
func TestAnOrderThatCannotBeReadIsRejected(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 3)
	err := env.Client().Raise(t.Context(), client.RaiseRequest{Instance: coordination.InstanceID("k"), Name: coordination.Orders, Data: json.RawMessage(`{"n":"many"}`), CheckRunning: true})
	if err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Second)
	order(t, env, coordination.Order{N: 3})
	if got := f.String(); got != "i0 i1 i2" {
		t.Errorf("begun are %s", got)
	}
}

// An instance that continues as new keeps its permit, and the coordinator does not count it twice.
func TestAPermitPassesToTheNextExecution(t *testing.T) {
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

// An instance that restarts goes to the end of the waiting list.
func TestOneThatRestartsWaitsAgain(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 4)
	if err := env.Client().Terminate(t.Context(), "i0", "enough"); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Second)
	if _, err := client.Start(t.Context(), env.Client(), queued(turnstile.InstanceID("i0")), "k", client.AllowRestart()); err != nil {
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

// A redriven instance waits for its turn like one that starts.
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
			if state := stateOf(t, env); len(state.Running) != most || state.Waiting[state.Length-1].Instance != id {
				t.Errorf("the gate shows %+v", state)
			}
			env.Advance(4 * time.Hour)
			if d, err := env.Client().Describe(t.Context(), id); err != nil || d.Status != client.StatusCompleted {
				t.Errorf("it is %s, %v; begun are %s", d.Status, err, f.String())
			}
			if state := stateOf(t, env); len(state.Running)+state.Length != 0 {
				t.Errorf("all have ended, and the gate shows %+v", state)
			}
		})
	}
}

// A coordinator continues as new with its running and waiting instances.
func TestACoordinatorContinuesAsNew(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	const all = 150
	for i := range all {
		turnstiletest.Start(env, queued(turnstile.InstanceID(fmt.Sprint("i", i))), "k")
		env.Advance(time.Second)
		if i == 0 {
			order(t, env, coordination.Order{N: 3})
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
	d, err := env.Client().Describe(t.Context(), coordination.InstanceID("k"))
	if state := stateOf(t, env); state.N != 3 || state.Declared != most {
		t.Errorf("the number that was set is lost: the gate shows %+v", state)
	}
	if err != nil || d.ExecutionID < 2 || len(strings.Fields(f.String())) != all {
		t.Errorf("execution %d of the gate, %v, %d begun", d.ExecutionID, err, len(f.begun))
	}
}

// The cost of a permit: the additional requests and dollars per instance, as the page on limits across instances gives
// them.
func TestWhatAPermitCosts(t *testing.T) {
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

// Whichever call a process dies at, all instances run, and never more at once than the limit allows.
func TestACoordinatorSurvivesCrashes(t *testing.T) {
	t.Parallel()
	var f floor
	turnstiletest.CrashTest(t, f.app(), func(env *turnstiletest.Env) {
		start(env, 4)
		if state := stateOf(t, env); len(state.Running) != most || state.Length != 2 {
			t.Errorf("the gate shows %+v", state)
		}
		if err := env.Client().Cancel(context.Background(), "i2", "enough"); err != nil {
			t.Error(err)
		}
		env.Advance(time.Minute)
		if state := stateOf(t, env); state.Length != 1 {
			t.Errorf("the gate shows %+v", state)
		}
		turnstiletest.Start(env, queued(turnstile.InstanceID("i4")), "k")
		env.Advance(time.Minute)
		order(t, env, coordination.Order{First: "i4"})
		order(t, env, coordination.Order{N: 1})
		if state := stateOf(t, env); state.N != 1 || len(state.Running) != most || state.Length != 2 || state.Waiting[0].Instance != "i4" {
			t.Errorf("the gate shows %+v", state)
		}
		env.Advance(3 * time.Hour)
		if state := stateOf(t, env); len(state.Running)+state.Length != 0 {
			t.Errorf("all have ended, and the gate shows %+v", state)
		}
	})
}

// In whatever order messages are processed, the permits never exceed the limit, and all instances get one.
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
			if step > lowered+4 { // instances that ran when the number was lowered have ended
				may = 1
			}
			if len(inside) > may {
				t.Errorf("seed %d, step %d: %v are inside", seed, step, inside)
			}
			switch step {
			case 1:
				state := stateOf(t, env)
				order(t, env, coordination.Order{First: state.Waiting[seed%uint64(state.Length)].Instance})
			case lowered:
				order(t, env, coordination.Order{N: 1})
			}
			if id := fmt.Sprint("i", seed%all); step == 2 {
				if err := env.Client().Terminate(t.Context(), id, "enough"); err != nil {
					t.Error(err)
				}
			}
		}
		if state := stateOf(t, env); len(state.Running)+state.Length != 0 {
			t.Errorf("seed %d: the gate shows %+v", seed, state)
		}
	}
}

// A cancel of the coordinator has no effect.
func TestACoordinatorIsNotCancelled(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 3)
	if err := env.Client().Cancel(t.Context(), coordination.InstanceID("k"), "enough"); err != nil {
		t.Fatal(err)
	}
	env.Advance(3 * time.Hour)
	if got := f.String(); got != "i0 i1 i2" {
		t.Errorf("begun are %s", got)
	}
}

// A terminated coordinator leaves its instances alone: running ones continue, and waiting ones wait until the
// coordinator restarts with its custom status.
func TestATerminatedCoordinatorRestarts(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 3)
	if err := env.Client().Terminate(t.Context(), coordination.InstanceID("k"), "enough"); err != nil {
		t.Fatal(err)
	}
	env.Advance(3 * time.Hour)
	// The custom status is a valid input, so the next execution continues from there.
	d, err := env.Client().Describe(t.Context(), coordination.InstanceID("k"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []client.Status{client.StatusCompleted, client.StatusCompleted, client.StatusQueued} {
		if d, err := env.Client().Describe(t.Context(), fmt.Sprint("i", i)); err != nil || d.Status != want {
			t.Errorf("i%d is %s, %v, want %s", i, d.Status, err, want)
		}
	}
	if _, err := env.Client().Start(t.Context(), client.StartRequest{Name: d.Name, Instance: d.Instance, Input: d.States["status"].Value, AllowRestart: true}); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Minute)
	if got := f.String(); got != "i0 i1 i2" {
		t.Errorf("begun are %s", got)
	}
}

// A cancel ends the wait of an instance, whose code then ends it; running instances continue.
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
	if state := stateOf(t, env); len(state.Running) != most || state.Length != 0 {
		t.Errorf("the gate shows %+v", state)
	}
}

// A resume by an operator lets an instance start outside of the limit, and the coordinator gives it a permit later all
// the same.
func TestAResumedInstanceStartsAtOnce(t *testing.T) {
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
	if state := stateOf(t, env); len(state.Running)+state.Length != 0 || f.String() != "i0 i1 i2" {
		t.Errorf("all have ended, and the gate shows %+v; begun are %s", state, f.String())
	}
}

// An instance that an operator suspends while it waits gets its permit, and has it when it is resumed.
func TestASuspendedInstanceKeepsItsPermit(t *testing.T) {
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
	if state := stateOf(t, env); f.String() != "i0 i1 i3" || len(state.Running) != most {
		t.Errorf("begun are %s, the gate shows %+v", f.String(), state)
	}
	if err := env.Client().Resume(t.Context(), "i2", "now"); err != nil {
		t.Fatal(err)
	}
	env.Advance(2 * time.Hour)
	if got := f.String(); got != "i0 i1 i3 i2" {
		t.Errorf("begun are %s", got)
	}
}

// The limit of an implementation applies to every start, including a delayed one.
func TestTheLimitOfAnImplementationAppliesToEveryStart(t *testing.T) {
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
	turnstiletest.Start(env, load, "", client.WithInstanceID("later"), client.StartAfter(90*time.Minute))
	turnstiletest.Start(env, load, "", client.WithInstanceID("first"))
	env.Advance(time.Minute)
	turnstiletest.Start(env, turnstile.NewOrchestration[string, string]("Parent"), "", client.WithInstanceID("parent"))
	env.Advance(time.Minute)
	status(map[string]client.Status{"first": client.StatusRunning, "later": client.StatusScheduled, "detached": client.StatusQueued, "child": client.StatusQueued})
	l, err := env.Client().InstanceLimit(t.Context(), "own")
	if err != nil || l.Permits != 1 || l.Length != 2 || l.CoordinatorStatus != client.StatusRunning || l.Held[0].Instance != "first" || l.Waiting[0].Instance != "detached" {
		t.Errorf("the limit is %+v, %v", l, err)
	}
	env.Advance(time.Hour)
	status(map[string]client.Status{"first": client.StatusCompleted, "detached": client.StatusRunning, "child": client.StatusQueued, "later": client.StatusScheduled})
	env.Advance(40 * time.Minute)
	status(map[string]client.Status{"detached": client.StatusRunning, "child": client.StatusQueued, "later": client.StatusQueued})
	env.Advance(3 * time.Hour)
	status(map[string]client.Status{"parent": client.StatusCompleted, "later": client.StatusCompleted})
}

// A start can have a different limit than the implementation, and an invalid one is rejected.
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

// Orchestrations that declare different numbers for one key are rejected where they are declared. Keys of activities are
// separate.
func TestAKeyHasOneLimit(t *testing.T) {
	t.Parallel()
	flow := func(name string, options ...turnstile.OrchestrationOption) turnstile.Component {
		return turnstile.NewOrchestration[string, string](name).With(options...).Implement(func(turnstile.Context, string) (string, error) { return "", nil })
	}
	act := turnstile.NewActivity[string, string]("Act").With(turnstile.Limit("k", 7)).Implement(func(context.Context, string) (string, error) { return "", nil })
	for name, c := range map[string]struct {
		parts []turnstile.Component
		want  string
	}{
		"other numbers": {[]turnstile.Component{flow("A", turnstile.Limit("k", 2)), flow("B", turnstile.Limit("k", 3))},
			`is 3 for the key "k", but orchestration "A" (registered at `},
		"other numbers in two versions": {[]turnstile.Component{flow("A", turnstile.Limit("k", 2)), flow("A", turnstile.Version("2"), turnstile.Limit("k", 3))},
			`is 3 for the key "k", but orchestration "A" (registered at `},
		"the same number":        {[]turnstile.Component{flow("A", turnstile.Limit("k", 2)), flow("B", turnstile.Limit("k", 2))}, ""},
		"other keys":             {[]turnstile.Component{flow("A", turnstile.Limit("k", 2)), flow("B", turnstile.Limit("l", 3))}, ""},
		"an activity of the key": {[]turnstile.Component{flow("A", turnstile.Limit("k", 2)), act}, ""},
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

// The waiting list is bounded: an instance that starts when it is full is terminated, with the reason.
func TestAFullWaitingListTerminatesTheNext(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app(), turnstiletest.KeepWarm())
	long := strings.Repeat("x", 450)
	n := 0
	for ; n < coordination.Longest; n++ { // By bytes, some 350 of such ids.
		turnstiletest.Start(env, queued(turnstile.InstanceID(fmt.Sprint(long, n))), "k")
		env.Advance(time.Second)
		if d, err := env.Client().Describe(t.Context(), fmt.Sprint(long, n)); err != nil || d.Status == client.StatusTerminated {
			if err != nil || !strings.Contains(d.Failure.Message, `the waiting list of the limit "k" is full: `) {
				t.Errorf("%+v, %v", d.Failure, err)
			}
			break
		}
	}
	if n < 300 || n > 400 {
		t.Errorf("%d wait", n)
	}
	if state := stateOf(t, env); state.Length != n-most || len(state.Waiting) != coordination.Shown {
		t.Errorf("the gate shows %d of %d", len(state.Waiting), state.Length)
	}
}

// A restart, a redrive and a fork wait under the number of the newest build, whether the earlier start took it from the
// implementation or named it by the same declaration.
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
			for _, id := range []string{"restart", "redriven", "forked"} {
				turnstiletest.Start(env, started, "", client.WithInstanceID(id))
			}
			env.Advance(time.Minute)
			for _, id := range []string{"restart", "redriven", "forked"} {
				if err := c.Terminate(t.Context(), id, "a new build comes"); err != nil {
					t.Fatal(err)
				}
			}
			env.Advance(time.Minute)
			env.Deploy(app(1))
			_, err1 := c.Restart(t.Context(), client.RestartRequest{Instance: "restart"})
			_, err2 := c.Redrive(t.Context(), client.RedriveRequest{Instance: "redriven"})
			_, err3 := c.Redrive(t.Context(), client.RedriveRequest{Instance: "forked", As: "fork"})
			if err := errors.Join(err1, err2, err3); err != nil {
				t.Fatal(err)
			}
			env.Advance(time.Minute)
			statuses := map[client.Status]int{}
			for _, id := range []string{"restart", "redriven", "fork"} {
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

// A delayed start under a limit is scheduled until its time. It can be rescheduled, a resume ends only the wait for the
// time, and a start that is cancelled before needs no turn.
func TestADelayedStartWaitsForItsTimeAndThenForItsTurn(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	c := env.Client()
	start(env, most)
	for _, id := range []string{"moved", "resumed", "cancelled", "on time"} {
		turnstiletest.Start(env, queued(turnstile.InstanceID(id)), "k", client.StartAfter(10*time.Minute))
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
