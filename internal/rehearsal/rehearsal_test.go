package rehearsal_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/rehearsal"
)

func TestCodeIsHeldAgainstAHistory(t *testing.T) {
	t.Parallel()
	events := []history.Event{
		{EventID: 1, Kind: history.OrchestrationStarted, Name: "Flow", Start: &history.Start{ExecutionID: 1, StartID: "s"}},
		{EventID: 2, Kind: history.ActivityScheduled, Name: "Charge", Payload: []byte(`"secret"`)},
		{EventID: 3, Kind: history.ActivityCompleted, SourceEventID: 2, Payload: []byte("1")},
		{EventID: 4, Kind: history.ActivityScheduled, Name: "Ship", Payload: []byte("1")},
	}
	calls := func(names ...string) engine.Func {
		return func(ctx *engine.Context, in []byte) ([]byte, error) {
			in = []byte(`"secret"`)
			for _, name := range names {
				out, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: name, Input: in}))
				if err != nil {
					return nil, err
				}
				in = out
			}
			return in, nil
		}
	}
	for _, c := range []struct {
		what string
		code engine.Orchestration
		kind string
		at   int64
	}{
		{"code that agrees", engine.Orchestration{Name: "Flow", Func: calls("Charge", "Ship")}, "", 0},
		{"code that goes on otherwise behind it", engine.Orchestration{Name: "Flow", Func: calls("Charge", "Ship", "Tell")}, "", 0},
		{"code that does something else", engine.Orchestration{Name: "Flow", Func: calls("Charge", "Tell")}, "nondeterminism", 4},
		{"code that fails where it would be stuck", engine.Orchestration{Name: "Flow", FailWhenStuck: true, Func: calls("Charge", "Tell")}, "nondeterminism", 4},
		{"code that panics", engine.Orchestration{Name: "Flow", Func: func(*engine.Context, []byte) ([]byte, error) { panic("no") }}, "panic", 1},
		{"code that has a patch more", engine.Orchestration{Name: "Flow", Func: func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Patched("charged-first"); err != nil {
				return nil, err
			}
			return calls("Ship", "Charge")(ctx, in)
		}}, "", 0}, // Another build may have recorded it.
		{"code that this build has not", engine.Orchestration{Name: "Other", Func: calls()}, "not_registered", 1},
	} {
		registry, err := engine.NewRegistry(c.code)
		if err != nil {
			t.Fatal(err)
		}
		for _, encoded := range []bool{false, true} {
			p, err := rehearsal.Run(registry, rehearsal.Of{Instance: "i", ExecutionID: 1, NowMS: 1, Encoded: encoded}, events)
			switch {
			case err != nil:
				t.Errorf("%s: %v", c.what, err)
			case p == nil && c.kind != "":
				t.Errorf("%s: no problem, want %s", c.what, c.kind)
			case p != nil && (p.Kind != c.kind || p.EventID != c.at || p.Message == ""):
				t.Errorf("%s: %+v", c.what, p)
			case p != nil && encoded && strings.Contains(p.Message, "secret"):
				t.Errorf("%s: it shows an encoded payload: %s", c.what, p.Message)
			}
			if p != nil && p.Kind == "nondeterminism" && (p.Diff == nil || p.Diff.Have == "") {
				t.Errorf("%s: it has no difference: %+v", c.what, p)
			}
		}
	}
	registry, err := engine.NewRegistry(engine.Orchestration{Name: "Flow", Func: calls("Charge", "Ship")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rehearsal.Run(registry, rehearsal.Of{Instance: "i", ExecutionID: 1}, events[1:]); !errors.As(err, new(*engine.CorruptionError)) {
		t.Errorf("of a history without a beginning: %v", err)
	}
}
