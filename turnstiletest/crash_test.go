package turnstiletest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// ordered runs an order, and returns the calls that its processes made.
func ordered(t *testing.T, options ...turnstiletest.Option) (calls []turnstiletest.Call) {
	t.Helper()
	list := turnstiletest.CrashBefore(func(c turnstiletest.Call) bool { calls = append(calls, c); return false })
	env := turnstiletest.New(t, flow(chargeAndShip), append([]turnstiletest.Option{list}, options...)...)
	turnstiletest.On(env, charge).Return("r-1", nil)
	turnstiletest.On(env, ship).Return("t-1", nil)
	run := turnstiletest.Start(env, fulfil, 7, client.WithInstanceID("order-7"))
	if got, err := run.Wait(); got != "t-1" || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
	run.AssertHistory("Started Act(Charge) Done←2 Timer(1h0m0s) Fired←4 Act(Ship) Done←6 Completed")
	return calls
}

func TestAProcessDiesAtTheChosenCall(t *testing.T) {
	t.Parallel()
	undisturbed := ordered(t)
	if len(undisturbed) < 5 || undisturbed[0].Number != 1 || !slices.ContainsFunc(undisturbed, func(c turnstiletest.Call) bool { return c.Worker }) ||
		!slices.ContainsFunc(undisturbed, func(c turnstiletest.Call) bool {
			return !c.Worker && c.Action == "commits events 1 to 2 of order-7 execution 1"
		}) {
		t.Fatalf("the calls are %+v", undisturbed)
	}
	for name, kill := range map[string]func(func(turnstiletest.Call) bool) turnstiletest.Option{"before": turnstiletest.CrashBefore, "behind": turnstiletest.CrashAfter} {
		for kept, memory := range map[string]turnstiletest.Option{"in memory": turnstiletest.KeepWarm(), "replayed": turnstiletest.WithBatchSize(10)} {
			t.Run(name+" the first commit, "+kept, func(t *testing.T) {
				t.Parallel()
				died := 0
				calls := 0
				ordered(t, turnstiletest.WithProcesses(2), memory, kill(func(c turnstiletest.Call) bool {
					calls = c.Number
					if died == 0 && strings.HasPrefix(c.Action, "commits events 1 to 2 ") {
						died++
						return true
					}
					return false
				}))
				if died != 1 || calls <= len(undisturbed) {
					t.Errorf("%d died, after %d calls; undisturbed there are %d", died, calls, len(undisturbed))
				}
			})
		}
	}
}

// Another process extends the history of an instance that one process has in memory.
func TestSeveralProcessesTakeBatchesInTurn(t *testing.T) {
	t.Parallel()
	reads := func(calls []turnstiletest.Call) (n int) {
		for _, c := range calls {
			if strings.HasPrefix(c.Action, "reads order-7") {
				n++
			}
		}
		return n
	}
	one, two := reads(ordered(t, turnstiletest.KeepWarm())), reads(ordered(t, turnstiletest.KeepWarm(), turnstiletest.WithProcesses(2)))
	if one != 1 || two <= one {
		t.Errorf("one process reads the history %d times, want once, at its first turn; two %d times, want more, for each reads what the other has written", one, two)
	}
}

func TestWithBatchSizeLimitsTheMessagesOfABatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ size, commits int }{{1, 3}, {10, 1}} {
		commits := 0
		env := turnstiletest.New(t, flow(chargeAndShip), turnstiletest.WithBatchSize(c.size), turnstiletest.CrashBefore(func(call turnstiletest.Call) bool {
			if strings.HasPrefix(call.Action, "commits") {
				commits++
			}
			return false
		}))
		turnstiletest.On(env, charge).Return("r-1", nil)
		turnstiletest.On(env, ship).Return("t-1", nil)
		run := turnstiletest.Start(env, fulfil, 7)
		// Three messages of one instance, in one turn or in three.
		turnstiletest.Raise(env, approved, run.Instance, "one")
		turnstiletest.Raise(env, approved, run.Instance, "two")
		env.RunUntil(turnstiletest.ActivityStarted(charge))
		env.RunUntil(turnstiletest.Idle())
		before := commits - 1 // without the commit of the completion
		if before != c.commits {
			t.Errorf("in batches of %d there are %d commits, want %d", c.size, before, c.commits)
		}
	}
}

// The test decides which instances share an invocation.
func TestWithBatchKeyGroupsInstancesIntoBatches(t *testing.T) {
	t.Parallel()
	// batches are the instances of each batch of starts.
	batches := func(options ...turnstiletest.Option) string {
		var all []string
		last := 0
		list := turnstiletest.CrashBefore(func(c turnstiletest.Call) bool {
			instance, isFirst := strings.CutPrefix(c.Action, "commits events 1 to 2 of ")
			if !isFirst {
				return false
			}
			instance, _, _ = strings.Cut(instance, " ")
			if c.Invocation == last {
				all[len(all)-1] += "+" + instance
			} else {
				all = append(all, instance)
			}
			last = c.Invocation
			return false
		})
		env := turnstiletest.New(t, flow(chargeAndShip), append(options, list)...)
		turnstiletest.On(env, charge).Return("r-1", nil)
		turnstiletest.On(env, ship).Return("t-1", nil)
		for i := range 4 {
			turnstiletest.Start(env, fulfil, 7, client.WithInstanceID(fmt.Sprint("o", i)))
		}
		env.Run()
		return strings.Join(all, " ")
	}
	for want, of := range map[string]func(string) string{
		"o0 o1 o2 o3": func(instance string) string { return instance },
		"o0+o2 o1+o3": func(instance string) string {
			if instance == "o0" || instance == "o2" {
				return "even"
			}
			return "odd"
		},
	} {
		if got := batches(turnstiletest.WithBatchKey(of)); got != want {
			t.Errorf("the batches are %s, want %s", got, want)
		}
	}
	if got := batches(); got != "o0+o1+o2+o3" {
		t.Errorf("by default the batches are %s", got)
	}
}
