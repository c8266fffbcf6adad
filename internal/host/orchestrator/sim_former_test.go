package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// I-03, O-04: a turn is committed and not dispatched. When its message comes back,
// the instance is purged by another one. What the turn decided is sent all the same.
func TestAPurgeLosesNothingThatItsInstanceHasDecided(t *testing.T) {
	t.Parallel()
	detaches := func(ctx *engine.Context, _ []byte) error {
		_, err := ctx.Detach(engine.ChildCall{Name: "Other", Instance: "other", Input: []byte("1")})
		return err
	}
	codes := map[string]engine.Func{
		"the start": func(ctx *engine.Context, in []byte) ([]byte, error) {
			if err := detaches(ctx, in); err != nil {
				return nil, err
			}
			return ctx.Await(ctx.ExternalEvent("never"))
		},
		"an event": func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			if err := detaches(ctx, in); err != nil {
				return nil, err
			}
			return ctx.Await(ctx.ExternalEvent("never"))
		},
		"an event behind a continue-as-new": func(ctx *engine.Context, in []byte) ([]byte, error) {
			if string(in) == "1" {
				if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
					return nil, err
				}
				return nil, ctx.ContinueAsNew("", []byte("2"), nil)
			}
			if err := detaches(ctx, in); err != nil {
				return nil, err
			}
			return ctx.Await(ctx.ExternalEvent("never"))
		},
		"the event that ends it": func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			return nil, detaches(ctx, in)
		},
	}
	for cause, code := range codes {
		t.Run(cause, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.orchestration("Main", code) })
			w.orchestration("Other", func(_ *engine.Context, in []byte) ([]byte, error) { return in, nil })
			refused := 0
			w.beforeSend = func(_ string, msgs []queue.Outgoing) error {
				if item, err := wire.Parse([]byte(msgs[0].Body)); err == nil && item.Kind == wire.StartOrchestration && item.Instance == "other" && refused == 0 {
					refused++
					return queue.ErrUnavailable
				}
				return nil
			}
			w.start("main", "Main", "1")
			if cause != "the start" {
				w.step()
				w.raise("main", "go", "1", "go")
			}
			for refused == 0 && w.step() {
			}
			if refused == 0 {
				t.Fatal("nothing was to be sent")
			}
			w.give(deliveriesOf(w, 2, platform.SourceOrchestrator, wire.Item{Kind: wire.PurgeInstance, Instance: "main", ID: "p", Force: true})...)
			if !w.record("main").Purged {
				t.Fatalf("record %+v", w.record("main"))
			}
			w.runFor(30 * time.Minute)
			w.expectOutput("other", "1")
		})
	}
}
