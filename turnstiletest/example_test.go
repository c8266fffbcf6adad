package turnstiletest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// printer is the T of the examples, which have no *testing.T.
type printer struct{ cleanup []func() }

func (p *printer) Helper()                           {}
func (p *printer) Cleanup(f func())                  { p.cleanup = append(p.cleanup, f) }
func (p *printer) Logf(string, ...any)               {}
func (p *printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (p *printer) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (p *printer) end() {
	for _, f := range p.cleanup {
		f()
	}
}

var (
	Remind = turnstile.NewOrchestration[string, string]("Remind")
	Mail   = turnstile.NewActivity[string, string]("Mail").With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3, InitialInterval: time.Hour}))
	Paid   = turnstile.NewEvent[int]("paid")
)

// remind reminds a customer after a month, unless a payment arrives before.
func remind(ctx turnstile.Context, customer string) (string, error) {
	amount, err := Paid.WaitTimeout(ctx, 30*24*time.Hour)
	if !errors.Is(err, turnstile.ErrTimeout) {
		return fmt.Sprintf("%s paid %d", customer, amount), err
	}
	return Mail.Call(ctx, customer)
}

// A month passes in no time, and the mail server fails at first.
func Example() {
	t := &printer{}
	defer t.end()
	env := turnstiletest.New(t, turnstile.NewApp(Remind.Implement(remind)))
	turnstiletest.On(env, Mail).Return("", errors.New("the mail server is down")).Once()
	turnstiletest.On(env, Mail).Return("reminded", nil)

	startedAt := env.Now()
	run := turnstiletest.Start(env, Remind, "Ada")
	fmt.Println(run.Wait())
	fmt.Println(env.Now().Sub(startedAt))
	fmt.Println(run.History())
	// Output:
	// reminded <nil>
	// 721h0m0s
	// Started Sub(paid) Timer(720h0m0s) Fired←3 Act(Mail) Done←5 Completed
}

// Events from outside arrive at their time.
func ExampleEnv_After() {
	t := &printer{}
	defer t.end()
	env := turnstiletest.New(t, turnstile.NewApp(Remind.Implement(remind)))
	run := turnstiletest.Start(env, Remind, "Ada")
	env.After(7*24*time.Hour, func() { turnstiletest.Raise(env, Paid, run.Instance, 40) })
	fmt.Println(run.Wait())
	fmt.Println(run.History())
	// Output:
	// Ada paid 40 <nil>
	// Started Sub(paid) Timer(720h0m0s) Ev(paid) Completed
}

// The application stops at the milestone, and the test continues from there.
func ExampleEnv_RunUntil() {
	t := &printer{}
	defer t.end()
	env := turnstiletest.New(t, turnstile.NewApp(Remind.Implement(remind)))
	turnstiletest.On(env, Mail).Return("reminded", nil)
	run := turnstiletest.Start(env, Remind, "Ada")

	env.RunUntil(turnstiletest.EventAwaited(Paid))
	fmt.Println(run.History())
	env.RunUntil(turnstiletest.ActivityStarted(Mail))
	fmt.Println(run.History())
	run.Cancel("the customer is gone")
	_, err := run.Wait()
	fmt.Println(errors.Is(err, turnstile.ErrCancelled))
	// Output:
	// Started Sub(paid) Timer(720h0m0s)
	// Started Sub(paid) Timer(720h0m0s) Fired←3 Act(Mail)
	// true
}

// Mocks answer by input and by the number of calls.
func ExampleOn() {
	t := &printer{}
	defer t.end()
	env := turnstiletest.New(t, turnstile.NewApp(Remind.Implement(remind)))
	turnstiletest.On(env, Mail).Match(func(customer string) bool { return customer == "Ada" }).Return("dear Ada", nil)
	others := turnstiletest.On(env, Mail).Do(func(_ context.Context, customer string) (string, error) {
		return "to whom it may concern", nil
	})
	for _, customer := range []string{"Ada", "Bob", "Eve"} {
		fmt.Println(turnstiletest.Start(env, Remind, customer).Wait())
	}
	fmt.Println(others.Inputs())
	// Output:
	// dear Ada <nil>
	// to whom it may concern <nil>
	// to whom it may concern <nil>
	// [Bob Eve]
}

// An activity takes virtual time, and times out like any other.
func ExampleSleep() {
	t := &printer{}
	defer t.end()
	impatient := turnstile.NewOrchestration[string, string]("Impatient")
	env := turnstiletest.New(t, turnstile.NewApp(impatient.Implement(func(ctx turnstile.Context, customer string) (string, error) {
		return Mail.With(turnstile.AttemptTimeout(time.Minute)).Call(ctx, customer)
	})))
	turnstiletest.On(env, Mail).Do(func(ctx context.Context, _ string) (string, error) {
		return "sent", turnstiletest.Sleep(ctx, 2*time.Minute)
	})
	_, err := turnstiletest.Start(env, impatient, "Ada", client.WithInstanceID("reminder-1")).Wait()
	fmt.Println(err)
	// Output:
	// orchestration "Impatient" (instance "reminder-1") failed (timeout): activity "Mail" failed on attempt 3 (timeout): attempt 3 of activity "Mail" did not return within 1m0s
}

// The outcome is the same at whatever call a process dies.
func ExampleCrashTest() {
	t := &printer{}
	done := turnstiletest.CrashTest(t, turnstile.NewApp(Remind.Implement(remind)), func(env *turnstiletest.Env) {
		turnstiletest.On(env, Mail).Return("reminded", nil)
		if got, err := turnstiletest.Start(env, Remind, "Ada").Wait(); got != "reminded" || err != nil {
			t.Errorf("it ended with %q, %v", got, err)
		}
	})
	fmt.Println(done.Runs == 4+2*done.Calls)
	// Output:
	// true
}

// Production histories are replayed against the current code.
func ExampleReplay() {
	t := &printer{}
	turnstiletest.Replay(t, flow(chargeAndShip), "testdata/*.json")
	fmt.Println("the history is followed")
	// Output:
	// the history is followed
}

// One of two processes dies after it has recorded the wait of a month, and before it sets the
// timer. The other process finds the wait in the history, and sets the timer.
func ExampleCrashAfter() {
	t := &printer{}
	defer t.end()
	died := ""
	env := turnstiletest.New(t, turnstile.NewApp(Remind.Implement(remind)), turnstiletest.WithProcesses(2), turnstiletest.CrashAfter(func(c turnstiletest.Call) bool {
		if died == "" && strings.HasPrefix(c.Action, "commits") {
			died = c.Action
			return true
		}
		return false
	}))
	turnstiletest.On(env, Mail).Return("reminded", nil)
	run := turnstiletest.Start(env, Remind, "Ada", client.WithInstanceID("reminder-1"))
	got, err := run.Wait()
	fmt.Println(got, err)
	fmt.Println("died when it had done this:", died)
	// Output:
	// reminded <nil>
	// died when it had done this: commits events 1 to 3 of reminder-1 execution 1
}
