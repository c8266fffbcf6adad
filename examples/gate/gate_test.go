package gate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/gate"
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
	return turnstile.NewApp(gate.Part(), load.Implement(func(ctx turnstile.Context, key string) (string, error) {
		if key != "" {
			if err := gate.Enter(ctx, strings.TrimPrefix(key, "again "), most); err != nil {
				return "", err
			}
		}
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

func (f *floor) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.begun, " ")
}

func start(env *turnstiletest.Env, n int) {
	for i := range n {
		turnstiletest.Start(env, load.With(turnstile.InstanceID(fmt.Sprint("i", i))), "k")
		env.Advance(time.Second)
	}
}

func lineOf(t turnstiletest.T, env *turnstiletest.Env) (line gate.Line) {
	t.Helper()
	d, err := env.Client().Describe(context.Background(), gate.InstanceID("k"))
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

func order(t turnstiletest.T, env *turnstiletest.Env, o gate.Order) {
	t.Helper()
	if err := client.Raise(context.Background(), env.Client(), gate.Orders, gate.InstanceID("k"), o, client.CheckRunning()); err != nil {
		t.Fatalf("%v", err)
	}
	env.Advance(time.Second)
}

func TestAnOperatorMovesOneToTheFront(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 6)
	order(t, env, gate.Order{First: "i4"})
	order(t, env, gate.Order{First: "i0"})     // it runs
	order(t, env, gate.Order{First: "nobody"}) // it is not there
	order(t, env, gate.Order{})
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
	order(t, env, gate.Order{N: 3})
	if got := f.String(); got != "i0 i1 i2" {
		t.Errorf("3 may run, begun are %s", got)
	}
	order(t, env, gate.Order{N: 1}) // those that run are left alone
	if line := lineOf(t, env); line.N != 1 || line.Set != 1 || line.Asked != most || len(line.Running) != 3 {
		t.Errorf("the gate shows %+v", line)
	}
	turnstiletest.Start(env, load.With(turnstile.InstanceID("i4")), "k") // its question names another number
	env.Advance(time.Hour)
	if got := f.String(); got != "i0 i1 i2 i3" {
		t.Errorf("1 may run, begun are %s", got)
	}
	order(t, env, gate.Order{N: -1})
	if line := lineOf(t, env); line.N != most || line.Set != 0 || f.String() != "i0 i1 i2 i3 i4" {
		t.Errorf("the number of the questions holds again: begun are %s, the gate shows %+v", f.String(), line)
	}
}

// A suspended gate lets nobody in, and hears afterwards what has ended meanwhile.
func TestASuspendedGateLetsNobodyIn(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 4)
	gateID := gate.InstanceID("k")
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

// An order of another shape costs its sender, and not the gate.
func TestAnOrderThatCannotBeReadIsRejected(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 3)
	err := env.Client().Raise(t.Context(), client.RaiseRequest{Instance: gate.InstanceID("k"), Name: gate.Orders.Name(), Data: json.RawMessage(`{"n":"many"}`), CheckRunning: true})
	if err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Second)
	order(t, env, gate.Order{N: 3})
	if got := f.String(); got != "i0 i1 i2" {
		t.Errorf("begun are %s", got)
	}
}

// Who continues as new keeps the place, and the gate does not count it twice.
func TestAPlaceGoesOverIntoTheNextExecution(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	turnstiletest.Start(env, load.With(turnstile.InstanceID("a")), "again k")
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
	if _, err := client.Start(t.Context(), env.Client(), load.With(turnstile.InstanceID("i0")), "k", client.BeginAgain()); err != nil {
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

// One that is redriven where it waited is not in the line any more, until it is told to ask again:
// the page of limits says so.
func TestOneThatIsRedrivenWhereItWaitedAsksAgainWhenTold(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	start(env, 3)
	if err := env.Client().Terminate(t.Context(), "i2", "enough"); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Second)
	if _, err := env.Client().Redrive(t.Context(), client.RedriveRequest{Instance: "i2"}); err != nil {
		t.Fatal(err)
	}
	env.Advance(3 * time.Hour)
	if d, err := env.Client().Describe(t.Context(), "i2"); err != nil || d.Status != client.StatusRunning || f.String() != "i0 i1" {
		t.Errorf("it is %s, %v; begun are %s", d.Status, err, f.String())
	}
	for i := range most {
		turnstiletest.Start(env, load.With(turnstile.InstanceID(fmt.Sprint("j", i))), "k")
	}
	env.Advance(time.Minute)
	for range 2 { // The second finds it in the line, which it keeps its place in.
		askAgain(t, env, "i2")
	}
	turnstiletest.Start(env, load.With(turnstile.InstanceID("j2")), "k")
	env.Advance(time.Minute)
	if line := lineOf(t, env); len(line.Running) != most || line.Length != 2 || line.Waiting[0].Instance != "i2" {
		t.Errorf("the gate shows %+v", line)
	}
	env.Advance(time.Hour)
	askAgain(t, env, "i2") // It has its place, and waits for nothing.
	if got := f.String(); got != "i0 i1 j0 j1 i2 j2" {
		t.Errorf("begun are %s", got)
	}
	env.Advance(2 * time.Hour)
	if d, err := env.Client().Describe(t.Context(), "i2"); err != nil || d.Status != client.StatusCompleted {
		t.Errorf("it is %s, %v", d.Status, err)
	}
}

// askAgain has an instance ask its gate again.
func askAgain(t turnstiletest.T, env *turnstiletest.Env, instance string) {
	t.Helper()
	err := env.Client().Raise(context.Background(), client.RaiseRequest{Instance: instance, Name: "gate.answer", Data: json.RawMessage(`{"again":true}`), CheckRunning: true})
	if err != nil {
		t.Fatalf("%v", err)
	}
	env.Advance(time.Second)
}

// A gate continues as new with those that run and wait.
func TestAGateContinuesAsNew(t *testing.T) {
	t.Parallel()
	var f floor
	env := turnstiletest.New(t, f.app())
	const all = 150
	for i := range all {
		turnstiletest.Start(env, load.With(turnstile.InstanceID(fmt.Sprint("i", i))), "k")
		env.Advance(time.Second)
		if i == 0 {
			order(t, env, gate.Order{N: 3})
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
	d, err := env.Client().Describe(t.Context(), gate.InstanceID("k"))
	if line := lineOf(t, env); line.N != 3 || line.Asked != most {
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
		turnstiletest.Start(env, load.With(turnstile.InstanceID(fmt.Sprint("i", i))), "k")
	})
	requests, dollars := float64(r1-r0)/instances, (d1-d0)/instances*1e6
	t.Logf("%.1f requests, $%.2f a million", requests, dollars)
	if requests > 18.5 || dollars > 14 {
		t.Errorf("a place makes %.1f requests and costs $%.2f a million, at most 18.5 and $14 were stated", requests, dollars)
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
		turnstiletest.Start(env, load.With(turnstile.InstanceID("i4")), "k")
		env.Advance(time.Minute)
		order(t, env, gate.Order{First: "i4", N: 1})
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
			turnstiletest.Start(env, load.With(turnstile.InstanceID(fmt.Sprint("i", i))), []string{"k", "again k"}[i%2])
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
				order(t, env, gate.Order{First: fmt.Sprint("i", seed*7%all)})
			case lowered:
				order(t, env, gate.Order{N: 1})
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
	if err := env.Client().Cancel(t.Context(), gate.InstanceID("k"), "enough"); err != nil {
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
	if err := env.Client().Terminate(t.Context(), gate.InstanceID("k"), "enough"); err != nil {
		t.Fatal(err)
	}
	env.Advance(3 * time.Hour)
	// The custom status is an input of the next run, so it goes on from there.
	d, err := env.Client().Describe(t.Context(), gate.InstanceID("k"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []client.Status{client.StatusCompleted, client.StatusCompleted, client.StatusRunning} {
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
