// Package guide_test is the code of the guide, compiled and run.
package guide_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/aesgcm"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

type Order struct {
	ID     string `json:"id"`
	Amount int64  `json:"amount"`
}

var (
	Fulfil   = turnstile.NewOrchestration[Order, string]("Fulfil")
	Charge   = turnstile.NewActivity[Order, string]("Charge")
	Ship     = turnstile.NewActivity[string, string]("Ship").With(turnstile.AttemptTimeout(15 * time.Minute))
	Approved = turnstile.NewEvent[string]("approved")

	ErrDeclined = turnstile.NonRetryable(errors.New("declined"))
)

func fulfil(ctx turnstile.Context, o Order) (string, error) {
	receipt, err := Charge.Call(ctx, o)
	if err != nil {
		return "", err
	}
	if _, err := Approved.WaitTimeout(ctx, 72*time.Hour); err != nil {
		return "", err
	}
	return Ship.Call(ctx, receipt)
}

func TestAnOrderIsApprovedAndShipped(t *testing.T) {
	env := turnstiletest.New(t, turnstile.NewApp(Fulfil.Implement(fulfil)))
	turnstiletest.On(env, Charge).Return("receipt-1", nil)
	turnstiletest.On(env, Ship).Return("parcel-1", nil).After(10 * time.Minute)

	run := turnstiletest.Start(env, Fulfil, Order{ID: "7", Amount: 1300})
	env.After(48*time.Hour, func() { turnstiletest.Raise(env, Approved, run.Instance, "Grace") })

	parcel, err := run.Wait()
	if err != nil || parcel != "parcel-1" {
		t.Errorf("it ended with %q, %v", parcel, err)
	}
	run.AssertHistory("Started Act(Charge) Done←2 Sub(approved) Timer(72h0m0s) Ev(approved) Act(Ship) Done←7 Completed")
}

func TestAnOrderThatIsTooLargeIsRefused(t *testing.T) {
	env := turnstiletest.New(t, turnstile.NewApp(Fulfil.Implement(fulfil)))
	refused := turnstiletest.On(env, Charge).Match(func(o Order) bool { return o.Amount > 1000 }).Return("", ErrDeclined)
	turnstiletest.On(env, Charge).Return("", errors.New("busy")).Times(2)
	turnstiletest.On(env, Charge).Return("receipt-1", nil)

	_, err := turnstiletest.Start(env, Fulfil, Order{ID: "8", Amount: 5000}).Wait()
	if err == nil || refused.Calls() != 1 {
		t.Errorf("it ended with %v, the card was charged %d times", err, refused.Calls())
	}
}

func TestAChargeThatHangsIsGivenUp(t *testing.T) {
	env := turnstiletest.New(t, turnstile.NewApp(Fulfil.Implement(fulfil)))
	turnstiletest.On(env, Charge).Do(func(ctx context.Context, _ Order) (string, error) {
		return "", turnstiletest.Sleep(ctx, time.Hour)
	})
	_, err := turnstiletest.Start(env, Fulfil, Order{ID: "9"}).Wait()
	if failed, ok := errors.AsType[*client.OrchestrationError](err); !ok || failed.Kind != turnstile.KindTimeout {
		t.Errorf("it ended with %v", err)
	}
}

func TestACancelWhileTheCardIsCharged(t *testing.T) {
	env := turnstiletest.New(t, turnstile.NewApp(Fulfil.Implement(fulfil)))
	turnstiletest.On(env, Charge).Return("receipt-1", nil).After(time.Minute)
	run := turnstiletest.Start(env, Fulfil, Order{ID: "10"})

	env.RunUntil(turnstiletest.ActivityStarted(Charge)) // its code has not begun
	run.Cancel("changed my mind")
	if _, err := run.Wait(); !errors.Is(err, turnstile.ErrCancelled) {
		t.Errorf("it ended with %v", err)
	}
}

func TestAnyOrderWillDo(t *testing.T) {
	for seed := range uint64(20) {
		env := turnstiletest.New(t, turnstile.NewApp(Fulfil.Implement(fulfil)), turnstiletest.WithRandomOrder(seed))
		turnstiletest.On(env, Charge).Return("receipt-1", nil)
		turnstiletest.On(env, Ship).Return("parcel-1", nil)
		run := turnstiletest.Start(env, Fulfil, Order{ID: "11"})
		turnstiletest.Raise(env, Approved, run.Instance, "Grace")
		if _, err := run.Wait(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

func TestNoCrashChangesAnything(t *testing.T) {
	turnstiletest.CrashTest(t, turnstile.NewApp(Fulfil.Implement(fulfil)), func(env *turnstiletest.Env) {
		turnstiletest.On(env, Charge).Return("receipt-1", nil)
		turnstiletest.On(env, Ship).Return("parcel-1", nil)
		run := turnstiletest.Start(env, Fulfil, Order{ID: "12"})
		env.After(time.Hour, func() { turnstiletest.Raise(env, Approved, run.Instance, "Grace") })
		if _, err := run.Wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestAKeyIsChangedWhileAnOrderWaits(t *testing.T) {
	first, _ := aesgcm.New("2026-10", bytes.Repeat([]byte{1}, aesgcm.KeySize))
	second, _ := aesgcm.New("2026-11", bytes.Repeat([]byte{2}, aesgcm.KeySize))
	before, _ := codec.NewSet(first, second)
	behind, _ := codec.NewSet(second, first)
	app := turnstile.NewApp(Fulfil.Implement(fulfil))

	env := turnstiletest.New(t, app, turnstiletest.WithCodecs(before))
	turnstiletest.On(env, Charge).Return("receipt-1", nil)
	turnstiletest.On(env, Ship).Return("parcel-1", nil)
	run := turnstiletest.Start(env, Fulfil, Order{ID: "13"})
	env.RunUntil(turnstiletest.EventAwaited(Approved))
	env.Deploy(app, turnstiletest.WithCodecs(behind))
	turnstiletest.Raise(env, Approved, run.Instance, "Grace")

	if parcel, err := run.Wait(); err != nil || parcel != "parcel-1" {
		t.Errorf("it ended with %q, %v", parcel, err)
	}
	for _, event := range run.Stored() {
		if bytes.Contains(event.Payload, []byte("parcel-1")) {
			t.Errorf("event %d is stored in the clear", event.EventID)
		}
	}
}

func TestRunningInstancesContinue(t *testing.T) {
	turnstiletest.Replay(t, turnstile.NewApp(Fulfil.Implement(fulfil)), "testdata/*.json")
}

func TestTheHistoriesToReplayAreThoseOfToday(t *testing.T) {
	env := turnstiletest.New(t, turnstile.NewApp(Fulfil.Implement(fulfil)))
	turnstiletest.On(env, Charge).Return("receipt-1", nil)
	turnstiletest.On(env, Ship).Return("parcel-1", nil)
	run := turnstiletest.Start(env, Fulfil, Order{ID: "7", Amount: 1300}, client.WithInstanceID("order-7"))
	turnstiletest.Raise(env, Approved, run.Instance, "Grace", client.WithDeduplicationID("request-1"))
	if _, err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	run.AssertGolden("testdata/order-7.json")
}

func TestTheCodeOfTheTestingPageIsThisFilesOwn(t *testing.T) {
	page, err := os.ReadFile("testing.md")
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("testing_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```go\n")[1:]
	if len(blocks) < 5 {
		t.Errorf("found %d blocks of Go only: the test has lost the page", len(blocks))
	}
	for _, b := range blocks {
		code, _, _ := strings.Cut(b, "```")
		if !strings.Contains(string(own), code) {
			t.Errorf("not compiled here:\n%s", code)
		}
	}
}

func TestADeathBetweenCommitAndSend(t *testing.T) {
	commits := 0
	env := turnstiletest.New(t, turnstile.NewApp(Fulfil.Implement(fulfil)), turnstiletest.WithProcesses(2),
		turnstiletest.CrashAfter(func(c turnstiletest.Call) bool {
			if strings.HasPrefix(c.Action, "commits") {
				commits++
				return commits == 1 // what it has recorded is not sent
			}
			return false
		}))
	turnstiletest.On(env, Charge).Return("receipt-1", nil)
	turnstiletest.On(env, Ship).Return("parcel-1", nil)
	run := turnstiletest.Start(env, Fulfil, Order{ID: "13"})
	turnstiletest.Raise(env, Approved, run.Instance, "Grace")
	if _, err := run.Wait(); err != nil {
		t.Error(err)
	}
}
