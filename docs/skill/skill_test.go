package orders

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func orders() *turnstile.App {
	return turnstile.NewApp(Fulfil.Implement(fulfil), Charge.Implement(charge))
}

func TestAnApprovedOrderIsShipped(t *testing.T) {
	env := turnstiletest.New(t, orders())
	turnstiletest.On(env, Ship).Return("parcel-1", nil) // replaces an implementation
	run := turnstiletest.Start(env, Fulfil, Order{ID: "7", Amount: 10})
	env.After(48*time.Hour, func() { turnstiletest.Raise(env, Approved, run.Instance, true) })
	if parcel, err := run.Wait(); err != nil || parcel != "parcel-1" {
		t.Errorf("it ended with %q, %v", parcel, err)
	}
}

func TestAnUnapprovedOrderIsRefunded(t *testing.T) {
	env := turnstiletest.New(t, orders())
	refunds := turnstiletest.On(env, Refund).Return(turnstile.None{}, nil)
	if _, err := turnstiletest.Start(env, Fulfil, Order{ID: "8", Amount: 10}).Wait(); err == nil || refunds.Calls() != 1 {
		t.Errorf("after %d refunds it ended with %v", refunds.Calls(), err)
	}
}

func TestACrashAnywhereChangesNothing(t *testing.T) {
	turnstiletest.CrashTest(t, orders(), func(env *turnstiletest.Env) {
		turnstiletest.On(env, Ship).Return("parcel-1", nil)
		run := turnstiletest.Start(env, Fulfil, Order{ID: "9", Amount: 10})
		env.After(time.Hour, func() { turnstiletest.Raise(env, Approved, run.Instance, true) })
		run.Wait()
	})
}

var CheckStock = turnstile.NewActivity[Order, bool]("CheckStock")

func checked(ctx turnstile.Context, o Order) (string, error) {
	if turnstile.Patched(ctx, "check-stock") {
		if _, err := CheckStock.Call(ctx, o); err != nil {
			return "", err
		}
	}
	return Ship.Call(ctx, o)
}

func TestAPatchGuardsAChange(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, turnstile.NewApp(Fulfil.Implement(checked)))
	looks := turnstiletest.On(env, CheckStock).Return(true, nil)
	turnstiletest.On(env, Ship).Return("parcel-1", nil)
	if _, err := turnstiletest.Start(env, Fulfil, Order{ID: "7"}).Wait(); err != nil || looks.Calls() != 1 {
		t.Errorf("after %d looks it ended with %v", looks.Calls(), err)
	}
}

func TestADeclinedCardIsFinal(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, orders())
	_, err := turnstiletest.Start(env, Fulfil, Order{ID: "7", Amount: 2000}).Wait()
	if err == nil || !strings.Contains(err.Error(), "the card was declined") {
		t.Errorf("it ended with %v", err)
	}
}

// The code of the skill is that of this folder, which is compiled and run.
func TestTheCodeOfTheSkillIsCompiled(t *testing.T) {
	t.Parallel()
	skill, err := os.ReadFile("SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	var sources strings.Builder
	for _, file := range []string{"orders_test.go", "skill_test.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources.WriteString(flat(string(text)))
	}
	blocks := strings.Split(string(skill), "\n```go\n")[1:]
	for i, block := range blocks {
		code, _, _ := strings.Cut(block, "\n```")
		if !strings.Contains(sources.String(), flat(code)) {
			t.Errorf("block %d is not in a compiled file:\n%s", i+1, code)
		}
	}
	if len(blocks) < 3 {
		t.Errorf("the skill has %d blocks of code", len(blocks))
	}
	// An agent's program loads all of it for a task.
	if words := len(strings.Fields(string(skill))); words > 1500 {
		t.Errorf("the skill has %d words", words)
	}
}

// flat is code without its indentation.
func flat(code string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(code, "\n") {
		b.WriteString(strings.TrimLeft(line, "\t") + "\n")
	}
	return b.String()
}
