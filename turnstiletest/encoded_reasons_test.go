package turnstiletest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// If a value cannot be decoded into its type, failures, records and logs say so. They are not
// encoded, so with a codec they contain no part of the value, whatever the decoder's error quotes.
func TestNoDecodeErrorQuotesAPayloadUnderACodec(t *testing.T) {
	t.Parallel()
	const canary = "CANARYTEXT"
	type input struct {
		Card int       `json:"card"`
		Due  time.Time `json:"due"`
	}
	main := turnstile.NewOrchestration[input, int]("Main")
	anything := turnstile.NewOrchestration[string, int]("Anything")
	says, takes := turnstile.NewActivity[string, string]("Work"), turnstile.NewActivity[time.Time, string]("Work")
	wrongly := turnstile.NewActivity[string, int]("Work")
	beats := turnstile.NewActivity[string, int]("Beats")
	told := turnstile.NewEvent[time.Time]("told")
	echo := func(_ context.Context, in string) (string, error) { return in, nil }
	beat := beats.Implement(func(ctx context.Context, in string) (int, error) {
		if turnstile.ActivityInfo(ctx).Number == 1 {
			return 0, errors.Join(turnstile.Heartbeat(ctx, in), errors.New("once more"))
		}
		_, _, err := turnstile.LastHeartbeat[int](ctx)
		return 0, turnstile.NonRetryable(err)
	})
	with := func(code func(ctx turnstile.Context, in string) error, parts ...turnstile.Component) *turnstile.App {
		return turnstile.NewApp(append(parts, main.Implement(func(turnstile.Context, input) (int, error) { return 0, nil }),
			anything.With(turnstile.FailWhenStuck()).Implement(func(ctx turnstile.Context, in string) (int, error) { return 0, code(ctx, in) }))...)
	}
	nothing := func(turnstile.Context, string) error { return nil }
	for name, c := range map[string]struct {
		app         *turnstile.App
		start, text string
	}{
		"an input of an orchestration, of another type": {with(nothing), "Main", `{"card":"` + canary + `"}`},
		"an input that its own decoder quotes":          {with(nothing), "Main", `{"card":1,"due":"` + canary + `"}`},
		"an input of an activity": {with(func(ctx turnstile.Context, in string) error {
			_, err := says.Call(ctx, in)
			return err
		}, takes.Implement(func(context.Context, time.Time) (string, error) { return "", nil })), "Anything", `"` + canary + `"`},
		"an input of an inline activity": {with(func(ctx turnstile.Context, in string) error {
			_, err := says.Inline(ctx, in)
			return err
		}, takes.Implement(func(context.Context, time.Time) (string, error) { return "", nil })), "Anything", `"` + canary + `"`},
		"a result": {with(func(ctx turnstile.Context, in string) error {
			_, err := wrongly.Call(ctx, in)
			return err
		}, says.Implement(echo)), "Anything", `"` + canary + `"`},
		"an inline result": {with(func(ctx turnstile.Context, in string) error {
			_, err := wrongly.Inline(ctx, in)
			return err
		}, says.Implement(echo)), "Anything", `"` + canary + `"`},
		"an event": {with(func(ctx turnstile.Context, _ string) error {
			_, err := told.Wait(ctx)
			return err
		}), "Anything", `"x"`},
		"an error that is thrown": {with(func(ctx turnstile.Context, _ string) error {
			if _, err := told.Wait(ctx); err != nil {
				panic(err)
			}
			return nil
		}), "Anything", `"x"`},
		"details of a heartbeat": {with(func(ctx turnstile.Context, in string) error {
			_, err := beats.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 2})).Call(ctx, in)
			return err
		}, beat), "Anything", `"` + canary + `"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, encoded := range []bool{false, true} {
				var log bytes.Buffer
				options := []turnstiletest.Option{turnstiletest.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))}
				if encoded {
					options = append(options, keys(t, key(t, "a")))
				}
				env := turnstiletest.New(t, c.app, options...)
				if _, err := env.Client().Start(t.Context(), client.StartRequest{Name: c.start, Instance: "a", Input: json.RawMessage(c.text)}); err != nil {
					t.Fatal(err)
				}
				env.Advance(time.Minute)
				if err := env.Client().Raise(t.Context(), client.RaiseRequest{Instance: "a", Name: "told", Data: json.RawMessage(`"` + canary + `"`)}); err != nil {
					t.Fatal(err)
				}
				env.Advance(time.Minute)
				d, err := env.Client().Describe(t.Context(), "a")
				if err != nil {
					t.Fatal(err)
				}
				text := ""
				switch {
				case d.Failure != nil:
					text = d.Failure.Message + d.Failure.Stack
				case d.Problem != nil:
					text = d.Problem.Message + d.Problem.Stack
				default:
					t.Fatalf("it is %s", d.Status)
				}
				switch {
				case !encoded && !strings.Contains(text, canary):
					t.Errorf("without a codec the reason does not quote it: %s", text)
				case encoded && (strings.Contains(text, canary) || strings.Contains(log.String(), canary)):
					t.Errorf("a payload is shown: %s\n%s", text, log.String())
				case encoded && !strings.Contains(text, "not shown because a codec"):
					t.Errorf("the reason says nothing of it: %s", text)
				}
			}
		})
	}
}
