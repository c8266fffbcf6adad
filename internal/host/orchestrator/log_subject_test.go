package orchestrator

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
)

// ofNobody are the log lines that need not name an instance.
var ofNobody = []string{
	"message moved to the dead-letter queue", // nothing of the message could be read
	"message not processed",
	"not a work item for workers; it goes back",
	"could not move the message to the dead-letter queue",
	"could not set the visibility timeout of a returned message",
	"key of the tokens cannot be read; messages return to the queue",
	"sweep ends early; the next sweep continues",
	"could not request the next sweep; the next batch requests it again",
}

// strictHandler fails the test if a log line does not name its subject. All worlds of this package
// without a logger of their own use it.
type strictHandler struct {
	t    testing.TB
	keys []string
}

func (h strictHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h strictHandler) Handle(_ context.Context, r slog.Record) error {
	seen := map[string]slog.Value{}
	count := map[string]int{}
	r.Attrs(func(a slog.Attr) bool {
		seen[a.Key] = a.Value
		count[a.Key]++
		return true
	})
	for _, key := range []string{"instance", "execution_id", "event_id"} {
		if _, ok := seen[key]; !ok && !slices.Contains(h.keys, key) {
			h.t.Errorf("the line %q has no %s: log it with the context of what it is about", r.Message, key)
		}
		if count[key] > 1 {
			h.t.Errorf("the line %q has %s twice", r.Message, key)
		}
	}
	if seen["instance"].String() == "" && !slices.Contains(h.keys, "instance") && !slices.Contains(ofNobody, r.Message) {
		h.t.Errorf("the line %q is about no instance", r.Message)
	}
	return nil
}

func (h strictHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.keys = slices.Clone(h.keys)
	for _, a := range attrs {
		h.keys = append(h.keys, a.Key)
	}
	return h
}

func (h strictHandler) WithGroup(string) slog.Handler { return h }

func TestALogLineOfOrchestrationCodeNamesItsInstanceAndEvent(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := newWorld(t, func(w *world) { w.logger = slog.New(slog.NewJSONHandler(&out, nil)) })
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		ctx.Logger().Info("plain", "n", 1)
		ctx.Logger().With("a", 2).WithGroup("g").With("b", 3).Info("grouped", "c", 4)
		if _, err := ctx.Await(ctx.ExternalEvent("e")); err != nil {
			return nil, err
		}
		ctx.Logger().Info("later")
		return in, nil
	})
	w.start("a", "Main", "1")
	w.raise("a", "e", "1", "s")
	w.run()
	w.expectOutput("a", "1")
	var got []string
	for line := range strings.Lines(out.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatal(err)
		}
		delete(fields, "time")
		delete(fields, "level")
		text, _ := json.Marshal(fields)
		got = append(got, string(text))
	}
	want := []string{
		`{"event_id":1,"execution_id":1,"instance":"a","msg":"plain","n":1}`,
		`{"a":2,"event_id":1,"execution_id":1,"g":{"b":3,"c":4},"instance":"a","msg":"grouped"}`,
		`{"event_id":3,"execution_id":1,"instance":"a","msg":"later"}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// The reason why code is stuck may quote a payload: the record contains the quote, but the log does
// so only on request.
func TestTheLogQuotesNoPayloadUnlessAsked(t *testing.T) {
	t.Parallel()
	for _, asked := range []bool{false, true} {
		var out bytes.Buffer
		w := newWorld(t, func(w *world) {
			w.logger = slog.New(slog.NewJSONHandler(&out, nil))
			w.settings.LogPayloads = asked
		})
		w.orchestration("Panics", func(_ *engine.Context, in []byte) ([]byte, error) { panic("cannot take " + string(in)) })
		w.orchestration("Parts", waits("e"))
		w.start("a", "Panics", `"secret"`)
		w.start("b", "Parts", `"secret"`)
		w.run()
		w.deploy("Parts", func(ctx *engine.Context, in []byte) ([]byte, error) {
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Other", Input: in}))
		})
		w.raise("b", "e", `"secret"`, "s")
		w.idle = 0
		w.run()
		if n := strings.Count(out.String(), "instance is stuck"); n < 2 {
			t.Fatalf("%d instances are stuck:\n%s", n, out.String())
		}
		if got := strings.Contains(out.String(), "secret"); got != asked {
			t.Errorf("asked %t: the payload is in the log: %t\n%s", asked, got, out.String())
		}
	}
}
