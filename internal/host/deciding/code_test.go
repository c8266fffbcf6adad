package deciding

import (
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// waits awaits external events by name, one after another, and returns their payloads.
func waits(names ...string) engine.Func {
	return func(ctx *engine.Context, _ []byte) ([]byte, error) {
		var all []string
		for _, name := range names {
			data, err := ctx.Await(ctx.ExternalEvent(name))
			if err != nil {
				return nil, err
			}
			all = append(all, string(data))
		}
		return []byte("[" + strings.Join(all, ",") + "]"), nil
	}
}

// chain runs n activities one after the other.
func chain(n int) engine.Func {
	return func(ctx *engine.Context, in []byte) ([]byte, error) {
		for range n {
			out, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
			if err != nil {
				return nil, err
			}
			in = out
		}
		return in, nil
	}
}

// inlines runs an inline activity n times.
func inlines(n int) engine.Func {
	return func(ctx *engine.Context, in []byte) ([]byte, error) {
		for range n {
			if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Inline", Input: in, Inline: true})); err != nil {
				return nil, err
			}
		}
		return in, nil
	}
}

// detaches starts another instance.
func detaches(ctx *engine.Context, id string) error {
	_, err := ctx.Detach(engine.ChildCall{Name: "Other", Instance: id, Input: []byte("1")})
	return err
}

// continues waits for an event and continues as new with the input "2"; with that input, it runs
// next.
func continues(next engine.Func) engine.Func {
	return func(ctx *engine.Context, in []byte) ([]byte, error) {
		if string(in) == "2" {
			return next(ctx, in)
		}
		if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
			return nil, err
		}
		return nil, ctx.ContinueAsNew("", []byte("2"), nil)
	}
}

// activity calls an activity with a retry policy.
func activity(retry *history.Retry) engine.Func {
	return func(ctx *engine.Context, in []byte) ([]byte, error) {
		return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Work", Input: in, Retry: retry}))
	}
}

// named returns the event with that name.
func named(name, id string) wire.Item {
	i := event(id)
	i.Name = name
	return i
}

// result completes the activity that an event scheduled.
func result(of int64) wire.Item {
	return wire.Item{Kind: wire.ActivityCompleted, ExecutionID: 1, SourceEventID: of, Result: []byte("1")}
}

// in addresses a completion to a different execution than the first.
func in(execution int64, i wire.Item) wire.Item { i.ExecutionID = execution; return i }

func fired(of int64, at time.Time) wire.Item {
	return wire.Item{Kind: wire.TimerFired, ExecutionID: 1, SourceEventID: of, FireAtMS: at.UnixMilli()}
}

func cancel(id string) wire.Item    { return wire.Item{Kind: wire.CancelInstance, ID: id} }
func terminate(id string) wire.Item { return wire.Item{Kind: wire.TerminateInstance, ID: id} }
func purge(id string) wire.Item     { return wire.Item{Kind: wire.PurgeInstance, ID: id} }

// purges returns what a client sends for a purge with force: a terminate, then the purge.
func purges(id string) []wire.Item {
	forced := purge(id)
	forced.Force = true
	return []wire.Item{{Kind: wire.TerminateInstance, ID: "end-" + id, Reason: "purged"}, forced}
}

// using makes a start use the existing instance with its id.
func using(i wire.Item) wire.Item { i.OnConflict = wire.ConflictUseExisting; return i }

func tooLargeError() error { return &store.TooLargeError{Instance: "a", Limit: "a byte"} }

// loops treats a chain of more than forty turns as a loop.
func loops(fail bool) host.LoopSettings {
	s := host.DefaultSettings().Loop
	s.Depth, s.Fail = 40, fail
	return s
}
