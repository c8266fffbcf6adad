package turnstile_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

var (
	account = turnstile.NewOrchestration[int, int]("Account")
	deposit = turnstile.NewUpdate[int, int]("deposit")
	closing = turnstile.NewEvent[string]("closing")
	audit   = turnstile.NewActivity[int, int]("Audit")
)

// keepAccount adds deposits until it is closed. A deposit of at least 100 is audited first; of at least
// 1,000 it waits a day.
func keepAccount(ctx turnstile.Context, balance int) (int, error) {
	deposit.Handle(ctx, func(amount int) error {
		if amount <= 0 {
			return errors.New("the amount must be positive")
		}
		return nil
	}, func(ctx turnstile.Context, amount int) (int, error) {
		if amount >= 1000 {
			if err := turnstile.Sleep(ctx, 24*time.Hour); err != nil {
				return 0, err
			}
		}
		if amount >= 100 {
			allowed, err := audit.Call(ctx, amount)
			if err != nil {
				return 0, err
			}
			amount = allowed
		}
		balance += amount
		return balance, nil
	})
	what, err := closing.Wait(ctx)
	switch {
	case err != nil:
		return 0, err
	case what == "wait":
		err = turnstile.AllHandlersFinished(ctx)
	case what == "continue":
		return 0, account.ContinueAsNew(ctx, balance)
	}
	return balance, err
}

func accounts(t *testing.T, options ...turnstiletest.Option) *turnstiletest.Env {
	return turnstiletest.New(t, turnstile.NewApp(account.Implement(keepAccount), deposit, closing,
		audit.Implement(func(_ context.Context, amount int) (int, error) {
			if amount == 666 {
				return 0, turnstile.NonRetryable(errors.New("no"))
			}
			return amount, nil
		})), options...)
}

func kindsAndOps(events []history.Event) (all []string) {
	for i := range events {
		k := events[i].Kind.String()
		if events[i].Op != "" {
			k += " " + events[i].Op
		}
		all = append(all, k)
	}
	return all
}

func TestAnUpdateIsAcceptedOrRejectedAndAnswered(t *testing.T) {
	t.Parallel()
	env := accounts(t)
	run := turnstiletest.Start(env, account, 10, client.WithInstanceID("a"))
	if got, err := turnstiletest.Update(env, deposit, "a", 5); got != 15 || err != nil {
		t.Errorf("a deposit: %d, %v", got, err)
	}
	_, err := turnstiletest.Update(env, deposit, "a", -1)
	if rejected, ok := errors.AsType[*client.UpdateRejectedError](err); !ok || rejected.Reason != "the amount must be positive" {
		t.Errorf("a deposit of -1: %v", err)
	}
	if got, err := turnstiletest.Update(env, deposit, "a", 200); got != 215 || err != nil {
		t.Errorf("a deposit that is audited: %d, %v", got, err)
	}
	_, err = turnstiletest.Update(env, deposit, "a", 666)
	if failed, ok := errors.AsType[*client.UpdateError](err); !ok || failed.Failure == nil || !strings.Contains(err.Error(), "no") {
		t.Errorf("a deposit whose handler fails: %v", err)
	}
	began := env.Now()
	if got, err := turnstiletest.Update(env, deposit, "a", 1000); got != 1215 || err != nil || env.Now().Sub(began) < 24*time.Hour {
		t.Errorf("a deposit that waits: %d, %v after %s", got, err, env.Now().Sub(began))
	}
	turnstiletest.Raise(env, closing, "a", "now")
	if got, err := run.Wait(); got != 1215 || err != nil {
		t.Errorf("the end: %d, %v", got, err)
	}
	want := []string{"OrchestrationStarted", "ExternalSubscribed",
		"ExternalEvent", "SystemCall accept_update", "SystemCall answer_update",
		"ExternalEvent", "ExternalRejected",
		"ExternalEvent", "SystemCall accept_update", "ActivityScheduled", "ActivityCompleted", "SystemCall answer_update",
		"ExternalEvent", "SystemCall accept_update", "ActivityScheduled", "ActivityFailed", "SystemCall answer_update",
		"ExternalEvent", "SystemCall accept_update", "TimerCreated", "TimerFired", "ActivityScheduled", "ActivityCompleted", "SystemCall answer_update",
		"ExternalEvent", "OrchestrationCompleted"}
	if got := kindsAndOps(run.History()); !slices.Equal(got, want) {
		t.Errorf("the history:\n%q\nwant\n%q", got, want)
	}
	if _, err := turnstiletest.Update(env, deposit, "a", 1); !errors.As(err, new(*client.EndedError)) {
		t.Errorf("after the end: %v", err)
	}
	if _, err := client.StartUpdate(t.Context(), env.Client(), deposit, "b", 1); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("without an instance: %v", err)
	}
}

func TestARepeatOfAnUpdateGetsItsAnswer(t *testing.T) {
	t.Parallel()
	env := accounts(t)
	run := turnstiletest.Start(env, account, 0, client.WithInstanceID("a"))
	for range 2 {
		if got, err := turnstiletest.Update(env, deposit, "a", 5, client.WithDeduplicationID("d1")); got != 5 || err != nil {
			t.Errorf("in one execution: %d, %v", got, err)
		}
	}
	turnstiletest.Raise(env, closing, "a", "continue")
	env.Run()
	if got, err := turnstiletest.Update(env, deposit, "a", 5, client.WithDeduplicationID("d1")); got != 5 || err != nil {
		t.Errorf("in the next: %d, %v", got, err)
	}
	env.Run()
	if got, err := turnstiletest.Update(env, deposit, "a", 7); got != 12 || err != nil {
		t.Errorf("another: %d, %v", got, err)
	}
	// An update that this process has not sent.
	s, err := client.AttachUpdate(env.Client(), deposit, "a", "d1").Status(t.Context())
	if err != nil || s.Stage != client.UpdateCompleted || string(s.Output) != "5" || s.ExecutionID != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	turnstiletest.Raise(env, closing, "a", "now")
	if got, err := run.Wait(); got != 12 || err != nil {
		t.Errorf("the end: %d, %v", got, err)
	}
	if got, err := turnstiletest.Update(env, deposit, "a", 5, client.WithDeduplicationID("d1")); got != 5 || err != nil {
		t.Errorf("after the end: %d, %v", got, err)
	}
}

// An execution knows the ids of the last 256 messages of the executions before it.
func TestARepeatOfAnUpdateIsRecognizedAfterManyOthers(t *testing.T) {
	t.Parallel()
	env := accounts(t)
	run := turnstiletest.Start(env, account, 0, client.WithInstanceID("a"))
	once := client.WithDeduplicationID("once")
	if got, err := turnstiletest.Update(env, deposit, "a", 5, once); got != 5 || err != nil {
		t.Fatalf("the first: %d, %v", got, err)
	}
	for range 256 {
		if _, err := client.StartUpdate(t.Context(), env.Client(), deposit, "a", 1); err != nil {
			t.Fatal(err)
		}
	}
	turnstiletest.Raise(env, closing, "a", "continue")
	env.Advance(time.Hour) // The queue drops repeats that are sent within five minutes.
	if got, err := turnstiletest.Update(env, deposit, "a", 5, once); got != 5 || err != nil {
		t.Errorf("the repeat: %d, %v", got, err)
	}
	turnstiletest.Raise(env, closing, "a", "now")
	if got, err := run.Wait(); got != 5+256 || err != nil {
		t.Errorf("the end: %d, %v", got, err)
	}
}

func TestAnUnfinishedHandlerIsAnErrorUnlessTheCodeWaits(t *testing.T) {
	t.Parallel()
	for how, finished := range map[string]bool{"now": false, "continue": false, "wait": true} {
		env := accounts(t)
		turnstiletest.Start(env, account, 0, client.WithInstanceID("a"))
		env.Run()
		h, err := client.StartUpdate(t.Context(), env.Client(), deposit, "a", 1000)
		if err != nil {
			t.Fatal(err)
		}
		env.Advance(time.Hour)
		if s, err := h.Status(t.Context()); err != nil || s.Stage != client.UpdateAccepted {
			t.Errorf("%s: %+v, %v", how, s, err)
		}
		turnstiletest.Raise(env, closing, "a", how)
		env.Run()
		got, err := h.Wait(t.Context())
		unfinished, ok := errors.AsType[*client.UpdateError](err)
		if finished != (got == 1000 && err == nil) || finished == (ok && unfinished.Failure == nil) {
			t.Errorf("%s: %d, %v", how, got, err)
		}
	}
}

// A handler that is added to the code takes the updates that came before.
func TestAnUpdateWaitsForCodeThatHandlesIt(t *testing.T) {
	t.Parallel()
	without := turnstile.NewApp(closing, account.Implement(func(ctx turnstile.Context, balance int) (int, error) {
		_, err := closing.Wait(ctx)
		return balance, err
	}))
	with := turnstile.NewApp(closing, deposit, account.Implement(keepAccount))
	env := turnstiletest.New(t, without)
	run := turnstiletest.Start(env, account, 1, client.WithInstanceID("a"))
	env.Run()
	h, err := client.StartUpdate(t.Context(), env.Client(), deposit, "a", 2, client.WithDeduplicationID("d"))
	if err != nil {
		t.Fatal(err)
	}
	env.Run()
	if s, err := h.Status(t.Context()); err != nil || s.Stage != client.UpdateSent {
		t.Errorf("without a handler: %+v, %v", s, err)
	}
	env.Deploy(with)
	if got, err := turnstiletest.Update(env, deposit, "a", 3); got != 6 && got != 3 || err != nil {
		t.Errorf("with one: %d, %v", got, err)
	}
	if got, err := h.Wait(t.Context()); got != 3 || err != nil {
		t.Errorf("the update that waited: %d, %v", got, err)
	}
	turnstiletest.Raise(env, closing, "a", "now")
	if got, err := run.Wait(); got != 6 || err != nil {
		t.Errorf("the end: %d, %v", got, err)
	}
}

func TestAnUpdateThatExpiresIsRejected(t *testing.T) {
	t.Parallel()
	env := accounts(t)
	turnstiletest.Start(env, account, 0, client.WithInstanceID("a"))
	env.Run()
	if err := env.Client().Suspend(t.Context(), "a", "a pause"); err != nil {
		t.Fatal(err)
	}
	env.Run()
	h, err := client.StartUpdate(t.Context(), env.Client(), deposit, "a", 2, client.WithExpiresAt(env.Now().Add(time.Minute)))
	if err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Hour)
	if s, err := h.Status(t.Context()); err != nil || s.Stage != client.UpdateSent {
		t.Errorf("while it is suspended: %+v, %v", s, err)
	}
	if err := env.Client().Resume(t.Context(), "a", ""); err != nil {
		t.Fatal(err)
	}
	env.Run()
	if _, err := h.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "it expired at") {
		t.Errorf("after its time: %v", err)
	}
}

func TestAValidatorThatMakesADurableCallLeavesTheInstanceStuck(t *testing.T) {
	t.Parallel()
	for what, validate := range map[string]func(turnstile.Context) error{
		"an activity": func(ctx turnstile.Context) error { _, err := audit.Call(ctx, 1); return err },
		"a panic":     func(turnstile.Context) error { panic("kaboom") },
		"the time":    func(ctx turnstile.Context) error { turnstile.Now(ctx); return nil },
	} {
		app := func(validate func(turnstile.Context) error) *turnstile.App {
			return turnstile.NewApp(closing, account.Implement(func(ctx turnstile.Context, balance int) (int, error) {
				deposit.Handle(ctx, func(int) error { return validate(ctx) }, func(_ turnstile.Context, amount int) (int, error) {
					balance += amount
					return balance, nil
				})
				_, err := closing.Wait(ctx)
				return balance, err
			}))
		}
		env := turnstiletest.New(t, app(validate), turnstiletest.AllowStuck())
		turnstiletest.Start(env, account, 0, client.WithInstanceID("a"))
		env.Run()
		h, err := client.StartUpdate(t.Context(), env.Client(), deposit, "a", 2)
		if err != nil {
			t.Fatal(err)
		}
		env.Advance(time.Second)
		d, err := env.Client().Describe(t.Context(), "a")
		if err != nil || d.Problem == nil || !strings.Contains(d.Problem.Message, `the validator of update "deposit"`) {
			t.Errorf("%s: %+v, %v", what, d.Problem, err)
		}
		env.Deploy(app(func(turnstile.Context) error { return nil }))
		env.Advance(time.Hour)
		if got, err := h.Wait(t.Context()); got != 2 || err != nil {
			t.Errorf("%s, mended: %d, %v", what, got, err)
		}
	}
}

// An orchestration sends updates to another instance, whatever becomes of that.
func TestAnOrchestrationCallsAnUpdate(t *testing.T) {
	t.Parallel()
	caller := turnstile.NewOrchestration[int, string]("Caller")
	implemented := caller.Implement(func(ctx turnstile.Context, amount int) (string, error) {
		got, err := deposit.Call(ctx, "a", amount)
		failed, ok := errors.AsType[*turnstile.UpdateError](err)
		if err != nil && !ok {
			return "", err
		}
		if ok {
			return fmt.Sprintf("rejected %t: %s", failed.Rejected, failed.Message), nil
		}
		return fmt.Sprint(got), nil
	})
	app := turnstile.NewApp(account.Implement(keepAccount), deposit, closing, implemented,
		audit.Implement(func(_ context.Context, amount int) (int, error) {
			if amount == 666 {
				return 0, turnstile.NonRetryable(errors.New("no"))
			}
			return amount, nil
		}))
	for _, c := range []struct {
		name   string
		amount int
		want   string
		before func(*turnstiletest.Env)
		during func(*turnstiletest.Env)
	}{
		{"accepted", 5, "15", nil, nil},
		{"rejected", -5, "rejected true: the amount must be positive", nil, nil},
		{"failed", 666, `rejected false: activity "Audit" failed: no`, nil, nil},
		{"ended before", 5, "rejected true: the execution has ended", func(env *turnstiletest.Env) { turnstiletest.Raise(env, closing, "a", "now") }, nil},
		{"ended meanwhile", 1000, "rejected false: the instance has ended or continued as new before the handler returned", nil,
			func(env *turnstiletest.Env) { turnstiletest.Raise(env, closing, "a", "now") }},
		{"continued as new meanwhile", 1000, "rejected false: the instance has ended or continued as new before the handler returned", nil,
			func(env *turnstiletest.Env) { turnstiletest.Raise(env, closing, "a", "continue") }},
		{"terminated before it decided", 5, "rejected true: the instance has ended before it decided about the update",
			func(env *turnstiletest.Env) { _ = env.Client().Suspend(context.Background(), "a", "") },
			func(env *turnstiletest.Env) { _ = env.Client().Terminate(context.Background(), "a", "") }},
		{"suspended for a while", 5, "15", func(env *turnstiletest.Env) { _ = env.Client().Suspend(context.Background(), "a", "") },
			func(env *turnstiletest.Env) { _ = env.Client().Resume(context.Background(), "a", "") }},
		{"never started", 5, "rejected true: the instance was not started within 15m0s",
			func(env *turnstiletest.Env) { _ = env.Client().Purge(context.Background(), "a") }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := turnstiletest.New(t, app)
			if c.name != "never started" {
				turnstiletest.Start(env, account, 10, client.WithInstanceID("a"))
			}
			env.Run()
			if c.before != nil && c.name != "never started" {
				c.before(env)
				env.Run()
			}
			run := turnstiletest.Start(env, caller, c.amount, client.WithInstanceID("caller"))
			env.Advance(time.Minute)
			if c.during != nil {
				c.during(env)
			}
			if got, err := run.Wait(); got != c.want || err != nil {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
			if c.name == "accepted" {
				want := []string{"OrchestrationStarted", "SystemCall raise_event", "ExternalSubscribed", "ExternalEvent", "OrchestrationCompleted"}
				if got := kindsAndOps(run.History()); !slices.Equal(got, want) {
					t.Errorf("the history %q, want %q", got, want)
				}
			}
			if letters := env.DeadLetters(); len(letters) > 0 {
				t.Errorf("dead letters: %+v", letters)
			}
		})
	}
}

func TestAStartSendsAnUpdate(t *testing.T) {
	t.Parallel()
	env := accounts(t)
	for n, want := range []int{15, 16, 15} {
		id := []string{"r1", "r2", "r1"}[n]
		amount := []int{5, 1, 5}[n]
		turnstiletest.Start(env, account, 10, client.WithInstanceID("a"), client.UseExisting(), client.WithUpdate(deposit, id, amount))
		env.Run()
		if got, err := client.AttachUpdate(env.Client(), deposit, "a", id).Wait(t.Context()); got != want || err != nil {
			t.Errorf("%s: %d, %v; want %d", id, got, err, want)
		}
	}
	// The orchestration ends in its first turn.
	brief := turnstile.NewOrchestration[int, int]("Brief")
	env = turnstiletest.New(t, turnstile.NewApp(brief.Implement(func(ctx turnstile.Context, balance int) (int, error) {
		deposit.Handle(ctx, nil, func(_ turnstile.Context, amount int) (int, error) {
			balance += amount
			return balance, nil
		})
		return balance, turnstile.AllHandlersFinished(ctx)
	})))
	turnstiletest.Start(env, brief, 1, client.WithInstanceID("b"), client.WithUpdate(deposit, "r", 2))
	env.Run()
	if got, err := client.AttachUpdate(env.Client(), deposit, "b", "r").Wait(t.Context()); got != 3 || err != nil {
		t.Errorf("a brief instance: %d, %v", got, err)
	}
	if _, err := client.Start(t.Context(), env.Client(), brief, 1, client.WithUpdate(deposit, "", 2)); !errors.As(err, new(*turnstile.InvalidArgumentError)) {
		t.Errorf("without an id: %v", err)
	}
}

// Rejections cannot fill the history of an instance.
func TestAnExecutionRefusesUpdatesAfterAThousandRejections(t *testing.T) {
	t.Parallel()
	env := accounts(t)
	turnstiletest.Start(env, account, 0, client.WithInstanceID("a"))
	env.Run()
	for range 1000 {
		if _, err := client.StartUpdate(t.Context(), env.Client(), deposit, "a", -1); err != nil {
			t.Fatal(err)
		}
	}
	env.Run()
	_, err := turnstiletest.Update(env, deposit, "a", 5, client.WithDeduplicationID("u"))
	if rejected, ok := errors.AsType[*client.UpdateRejectedError](err); !ok || !strings.Contains(rejected.Reason, "rejected 1000 updates") {
		t.Errorf("the next: %v", err)
	}
	d, err := env.Client().Describe(t.Context(), "a")
	if err != nil || d.ExecutionID != 1 {
		t.Fatal(d.ExecutionID, err)
	}
	turnstiletest.Raise(env, closing, "a", "continue")
	env.Advance(10 * time.Minute) // The queue drops a repeat within five minutes.
	if h, err := client.StartUpdate(t.Context(), env.Client(), deposit, "a", 5, client.WithDeduplicationID("u")); err != nil {
		t.Error(err)
	} else if env.Run(); true {
		if got, err := h.Wait(t.Context()); got != 5 || err != nil {
			t.Errorf("in the next execution: %d, %v", got, err)
		}
	}
}

// An update costs what an event costs, and for its answer a read and a write. If the handler returns in
// the turn that accepts the update, there is one answer to write.
func TestWhatAnUpdateCosts(t *testing.T) {
	t.Parallel()
	const n = 100
	noted := turnstile.NewEvent[int]("noted")
	app := turnstile.NewApp(account.Implement(func(ctx turnstile.Context, balance int) (int, error) {
		deposit.Handle(ctx, func(amount int) error {
			if amount < 0 {
				return errors.New("no")
			}
			return nil
		}, func(_ turnstile.Context, amount int) (int, error) { balance += amount; return balance, nil })
		for _, err := range noted.All(ctx) {
			if err != nil {
				return balance, err
			}
		}
		return balance, nil
	}))
	per := func(send func(*turnstiletest.Env)) (reads, writes, dollars float64) {
		env := turnstiletest.New(t, app, turnstiletest.KeepWarm())
		turnstiletest.Start(env, account, 0, client.WithInstanceID("a"))
		env.Advance(time.Minute)
		before := env.Bill()
		for range n {
			send(env)
			env.Advance(time.Minute)
		}
		b := env.Bill().Minus(before)
		return b.Of(bill.ReadUnits) / n, b.Of(bill.WriteUnits) / n, b.Dollars() / n * 1e6
	}
	send := func(amount int) func(*turnstiletest.Env) {
		return func(env *turnstiletest.Env) {
			if _, err := client.StartUpdate(t.Context(), env.Client(), deposit, "a", amount); err != nil {
				t.Fatal(err)
			}
		}
	}
	eventReads, eventWrites, event := per(func(env *turnstiletest.Env) { turnstiletest.Raise(env, noted, "a", 1) })
	reads, writes, accepted := per(send(1))
	_, _, rejected := per(send(-1))
	t.Logf("a million events $%.2f (%.2f reads, %.2f writes), updates $%.2f (%.2f, %.2f), rejected updates $%.2f", event, eventReads, eventWrites, accepted, reads, writes, rejected)
	if reads-eventReads != 1 || writes-eventWrites != 1 || accepted-event < 0.74 || accepted-event > 0.76 || rejected-event < 0.74 || rejected-event > 0.76 {
		t.Errorf("an update costs %.2f reads and %.2f writes beyond those of an event", reads-eventReads, writes-eventWrites)
	}
}

// An orchestration that waits for the answer of an instance gets it from that instance, whatever happens
// to a fork of it.
func TestAForkAnswersNobody(t *testing.T) {
	t.Parallel()
	asker := turnstile.NewOrchestration[int, int]("Asker")
	env := turnstiletest.New(t, turnstile.NewApp(account.Implement(keepAccount), deposit, closing,
		audit.Implement(func(_ context.Context, amount int) (int, error) { return amount, nil }),
		asker.Implement(func(ctx turnstile.Context, amount int) (int, error) { return deposit.Call(ctx, "a", amount) })))
	turnstiletest.Start(env, account, 0, client.WithInstanceID("a"))
	env.Run()
	run := turnstiletest.Start(env, asker, 1000, client.WithInstanceID("asker"))
	env.Advance(time.Minute)
	if _, err := env.Client().Redrive(t.Context(), client.RedriveRequest{Instance: "a", As: "fork"}); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Minute)
	if err := env.Client().Terminate(t.Context(), "fork", "only an experiment"); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Minute)
	if got, err := run.Wait(); got != 1000 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
}

func TestARepeatAfterManyExecutionsGetsItsAnswer(t *testing.T) {
	t.Parallel()
	env := accounts(t)
	turnstiletest.Start(env, account, 0, client.WithInstanceID("a"))
	if got, err := turnstiletest.Update(env, deposit, "a", 5, client.WithDeduplicationID("d1")); got != 5 || err != nil {
		t.Fatal(got, err)
	}
	for range 11 {
		turnstiletest.Raise(env, closing, "a", "continue")
		env.Run()
	}
	turnstiletest.Raise(env, closing, "a", "now")
	env.Run()
	if got, err := turnstiletest.Update(env, deposit, "a", 5, client.WithDeduplicationID("d1")); got != 5 || err != nil {
		t.Errorf("a repeat after the end: %d, %v", got, err)
	}
}

func TestAnAnswerThatIsTooLargeForAnInstanceIsAFailure(t *testing.T) {
	t.Parallel()
	long, bulk := turnstile.NewOrchestration[int, int]("Long"), turnstile.NewUpdate[int, string]("bulk")
	asker := turnstile.NewOrchestration[int, int]("Asker")
	for _, c := range []struct {
		size int
		kind turnstile.FailureKind
	}{{200 << 10, ""}, {turnstile.MaxPayload - 2, turnstile.KindTooLarge}} {
		var failed *turnstile.UpdateError
		env := turnstiletest.New(t, turnstile.NewApp(
			long.Implement(func(ctx turnstile.Context, _ int) (int, error) {
				bulk.Handle(ctx, nil, func(_ turnstile.Context, n int) (string, error) { return strings.Repeat("a", n), nil })
				_, err := closing.Wait(ctx)
				return 0, err
			}),
			asker.Implement(func(ctx turnstile.Context, n int) (int, error) {
				got, err := bulk.Call(ctx, "long", n)
				if tooLarge, ok := errors.AsType[*turnstile.UpdateError](err); ok {
					failed, err = tooLarge, nil
				}
				return len(got), err
			})))
		turnstiletest.Start(env, long, 0, client.WithInstanceID("long"))
		env.Run()
		got, err := turnstiletest.Start(env, asker, c.size).Wait()
		if err != nil || (failed == nil) != (c.kind == "") || failed != nil && failed.Kind != c.kind || failed == nil && got != c.size {
			t.Errorf("%d bytes: %d, %v, %v", c.size, got, failed, err)
		}
		if letters := env.DeadLetters(); len(letters) > 0 {
			t.Errorf("%d bytes: %d dead letters", c.size, len(letters))
		}
	}
}

// A time before 1970 is over, and does not mean that the update never expires.
func TestAnUpdateThatExpiredLongAgoIsRejected(t *testing.T) {
	t.Parallel()
	env := accounts(t)
	turnstiletest.Start(env, account, 0, client.WithInstanceID("a"))
	for _, at := range []time.Time{time.Unix(0, 0), time.Unix(-5, 0)} {
		if _, err := turnstiletest.Update(env, deposit, "a", 5, client.WithExpiresAt(at)); err == nil || !strings.Contains(err.Error(), "it expired at") {
			t.Errorf("expired at %s: %v", at, err)
		}
	}
}

// A repeat of an update that an earlier execution has answered is no news, so it does not end an
// execution whose history is at its limit.
func TestARepeatEndsNoExecutionAtItsLimit(t *testing.T) {
	t.Parallel()
	settings := host.DefaultSettings()
	settings.Limits.Events = 610
	env := accounts(t, turnstiletest.WithSettings(settings))
	noise := turnstile.NewEvent[int]("noise")
	turnstiletest.Start(env, account, 0, client.WithInstanceID("a"))
	update := func() {
		t.Helper()
		if got, err := turnstiletest.Update(env, deposit, "a", 5, client.WithDeduplicationID("d1")); got != 5 || err != nil {
			t.Errorf("%d, %v", got, err)
		}
	}
	update()
	for range 280 { // more ids than a continue-as-new keeps
		if _, err := client.StartUpdate(t.Context(), env.Client(), deposit, "a", -1); err != nil {
			t.Fatal(err)
		}
	}
	turnstiletest.Raise(env, closing, "a", "continue")
	env.Run()
	atLimit := func() bool {
		h, err := env.Client().History(t.Context(), "a", 0)
		if err != nil {
			t.Fatal(err)
		}
		return len(h) >= settings.Limits.Events
	}
	for !atLimit() {
		turnstiletest.Raise(env, noise, "a", 1)
		env.Run()
	}
	env.Advance(10 * time.Minute) // The queue drops a repeat within five minutes.
	update()
	env.Run()
	if d, err := env.Client().Describe(t.Context(), "a"); err != nil || d.Status != client.StatusRunning || d.ExecutionID != 2 {
		t.Errorf("the instance is %s in execution %d, %v", d.Status, d.ExecutionID, err)
	}
}
