package guide_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// The possible outcomes of an instance that waits while another build is deployed.
const (
	continues = "continues"
	stuck     = "is stuck"
)

var (
	changing = turnstile.NewOrchestration[string, string]("Changing")
	proceed  = turnstile.NewEvent[string]("proceed")
)

type code = func(turnstile.Context, string) (string, error)

// thenWaits is an implementation that does something, and then waits for the
// deployment to be over.
func thenWaits(do code) turnstile.Component {
	return changing.Implement(func(ctx turnstile.Context, in string) (string, error) {
		out, err := do(ctx, in)
		if err != nil {
			return out, err
		}
		_, err = proceed.Wait(ctx)
		return out, err
	})
}

// charges calls an activity with an input of any type.
func charges[T any](in T, options ...turnstile.ActivityOption) turnstile.Component {
	return thenWaits(func(ctx turnstile.Context, _ string) (string, error) {
		_, err := turnstile.NewActivity[T, json.RawMessage]("Charge").With(options...).Call(ctx, in)
		return "", err
	})
}

// results calls an activity for a result of some type.
func results[T any]() turnstile.Component {
	return thenWaits(func(ctx turnstile.Context, _ string) (string, error) {
		_, err := turnstile.NewActivity[string, T]("Look").Call(ctx, "")
		return "", err
	})
}

// takes is an orchestration with an input of some type.
func takes[T any]() turnstile.Component {
	return turnstile.NewOrchestration[T, string]("Changing").Implement(func(ctx turnstile.Context, _ T) (string, error) {
		if _, err := turnstile.NewActivity[string, json.RawMessage]("Charge").Call(ctx, "x"); err != nil {
			return "", err
		}
		_, err := proceed.Wait(ctx)
		return "", err
	})
}

// two starts two activities.
func two(first, second string) turnstile.Component {
	return thenWaits(func(ctx turnstile.Context, _ string) (string, error) {
		a, b := turnstile.NewActivity[string, json.RawMessage](first).Start(ctx, "x"), turnstile.NewActivity[string, json.RawMessage](second).Start(ctx, "x")
		_, err := turnstile.JoinSettled(ctx, a, b)
		return "", err
	})
}

func sleeps(d time.Duration) turnstile.Component {
	return thenWaits(func(ctx turnstile.Context, _ string) (string, error) { return "", turnstile.Sleep(ctx, d) })
}

func does(do func(turnstile.Context) error) turnstile.Component {
	return thenWaits(func(ctx turnstile.Context, _ string) (string, error) { return "", do(ctx) })
}

// rows are those of the tables of versions.md, by what is changed. Each is tried:
// an instance does its part with the code of before and waits; the code of now is
// deployed; and the instance is told to go on.
func rows() map[string]struct{ before, now turnstile.Component } {
	type order struct {
		ID     string `json:"id"`
		Amount int    `json:"amount"`
	}
	type added struct {
		ID     string `json:"id"`
		Amount int    `json:"amount"`
		Note   string `json:"note"`
	}
	type optional struct {
		ID     string `json:"id"`
		Amount int    `json:"amount,omitempty"`
	}
	type fewer struct {
		ID string `json:"id"`
	}
	type renamed struct {
		Number string `json:"id"`
		Cents  int    `json:"amount"`
	}
	type spelt struct {
		ID     string `json:"ID"`
		Amount int    `json:"Amount"`
	}
	type called struct {
		ID    string `json:"id"`
		Total int    `json:"total"`
	}
	type moved struct {
		Amount int    `json:"amount"`
		ID     string `json:"id"`
	}
	type wider struct {
		ID     string  `json:"id"`
		Amount float64 `json:"amount"`
	}
	type worded struct {
		ID     string `json:"id"`
		Amount string `json:"amount"`
	}
	type pointed struct {
		ID     *string `json:"id"`
		Amount *int    `json:"amount"`
	}
	id, amount := "7", 7
	was := charges(order{"7", 7})
	call := turnstile.NewActivity[order, json.RawMessage]("Charge")
	child := turnstile.NewOrchestration[string, string]("Child")
	return map[string]struct{ before, now turnstile.Component }{
		"a field added, which the code leaves empty":                              {was, charges(added{"7", 7, ""})},
		"a field added, which the code fills":                                     {was, charges(added{"7", 7, "quick"})},
		"a field removed":                                                         {was, charges(fewer{"7"})},
		"a field renamed in Go, with the same name in JSON":                       {was, charges(renamed{"7", 7})},
		"upper and lower case of a name in JSON":                                  {was, charges(spelt{"7", 7})},
		"a field's name in JSON":                                                  {was, charges(called{"7", 7})},
		"the order of fields":                                                     {was, charges(moved{7, "7"})},
		"`omitempty` added or removed":                                            {charges(order{"7", 0}), charges(optional{"7", 0})},
		"a value made a pointer, or the reverse":                                  {was, charges(pointed{&id, &amount})},
		"an integer type changed to another numeric type that can hold the value": {was, charges(wider{"7", 7})},
		"a number made a string":                                                  {was, charges(worded{"7", "7"})},
		"a struct made a map":                                                     {was, charges(map[string]any{"id": "7", "amount": 7})},
		"a value in an input":                                                     {was, charges(order{"7", 8})},
		"the type of a result; the recorded JSON fits":                            {results[order](), results[added]()},
		"the type of a result; the recorded JSON does not fit":                    {results[order](), results[int]()},
		"the type of the orchestration's input; the recorded JSON fits":           {takes[string](), takes[any]()},
		"the type of the orchestration's input; the recorded JSON does not fit":   {takes[string](), takes[int]()},

		"retries and timeouts of an activity": {was, charges(order{"7", 7}, turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 9}), turnstile.AttemptTimeout(time.Minute))},
		"`Call` made `Start` and `Await`": {was, does(func(ctx turnstile.Context) error {
			_, err := call.Start(ctx, order{"7", 7}).Await(ctx)
			return err
		})},
		"states, search attributes, logs": {was, does(func(ctx turnstile.Context) error {
			turnstile.Logger(ctx).Info("charging")
			if err := turnstile.NewState[string]("status").Set(ctx, "charging"); err != nil {
				return err
			}
			_, err := call.Call(ctx, order{"7", 7})
			return err
		})},
		"the function of a `SideEffect`": {does(func(ctx turnstile.Context) error {
			_, err := turnstile.SideEffect(ctx, "draw", func() (int, error) { return 1, nil })
			return err
		}), does(func(ctx turnstile.Context) error {
			_, err := turnstile.SideEffect(ctx, "draw", func() (int, error) { return 2, nil })
			return err
		})},
		"a call added after the point that the instance has reached": {was, changing.Implement(func(ctx turnstile.Context, _ string) (string, error) {
			if _, err := call.Call(ctx, order{"7", 7}); err != nil {
				return "", err
			}
			if _, err := proceed.Wait(ctx); err != nil {
				return "", err
			}
			_, err := call.Call(ctx, order{"8", 8})
			return "", err
		})},
		"a call added before that point": {was, does(func(ctx turnstile.Context) error {
			if _, err := call.Call(ctx, order{"6", 6}); err != nil {
				return err
			}
			_, err := call.Call(ctx, order{"7", 7})
			return err
		})},
		"a call removed":                     {was, does(func(turnstile.Context) error { return nil })},
		"the order in which two calls start": {two("Charge", "Ship"), two("Ship", "Charge")},
		"the name of an activity":            {two("Charge", "Ship"), two("Charge", "Send")},
		"the duration of a timer":            {sleeps(time.Hour), sleeps(2 * time.Hour)},
		"`Call` made `Inline`":               {was, does(func(ctx turnstile.Context) error { _, err := call.Inline(ctx, order{"7", 7}); return err })},
		"the requested version of a child": {
			does(func(ctx turnstile.Context) error { child.Start(ctx, "x"); return nil }),
			does(func(ctx turnstile.Context) error { child.With(turnstile.Version("2")).Start(ctx, "x"); return nil }),
		},
	}
}

// becomes deploys the code of now under an instance that waits with the code of
// before, and returns what becomes of it.
func becomes(t *testing.T, before, now turnstile.Component) string {
	t.Helper()
	looks := func(context.Context, string) (json.RawMessage, error) { return []byte(`{"id":"7","amount":7}`), nil }
	charge := func(context.Context, json.RawMessage) (json.RawMessage, error) { return []byte(`null`), nil }
	rest := turnstile.Components{
		turnstile.NewActivity[string, json.RawMessage]("Look").Implement(looks),
		turnstile.NewOrchestration[string, string]("Child").Implement(func(turnstile.Context, string) (string, error) { return "", nil }),
	}
	for _, name := range []string{"Charge", "Ship", "Send"} {
		rest = append(rest, turnstile.NewActivity[json.RawMessage, json.RawMessage](name).Implement(charge))
	}
	env := turnstiletest.New(t, turnstile.NewApp(before, rest), turnstiletest.AllowStuck())
	run := turnstiletest.Start(env, changing, "x")
	env.Advance(3 * time.Hour)
	env.Deploy(turnstile.NewApp(now, rest), turnstiletest.AllowStuck())
	turnstiletest.Raise(env, proceed, run.Instance, "now")
	env.Advance(time.Hour)
	switch d := run.Describe(); {
	case d.Status == client.StatusStuck:
		return stuck
	case d.Status == client.StatusCompleted:
		return continues
	default:
		_, err := run.Wait()
		return string(d.Status) + ": " + err.Error()
	}
}

func TestWhatMayChangeForInstancesThatRun(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("versions.md")
	if err != nil {
		t.Fatal(err)
	}
	tried := rows()
	found := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.HasPrefix(cells[0], " ---") || strings.TrimSpace(cells[0]) == "what changes" {
			continue
		}
		what, says := strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1])
		row, known := tried[what]
		if !known {
			t.Errorf("versions.md has a row that nobody tries: %q", what)
			continue
		}
		found[what] = true
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			if got := becomes(t, row.before, row.now); got != says {
				t.Errorf("an instance %s, and versions.md says that it %s", got, says)
			}
		})
	}
	for what := range tried {
		if !found[what] {
			t.Errorf("versions.md has no row for %q", what)
		}
	}
}
