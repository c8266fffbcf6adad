package orchestrator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// canary occurs in payloads of the programs below, and nowhere else.
const canary = "CANARYTEXT"

// quoted are ways in which the text of a payload could reach unencrypted places: first runs until
// it waits for an event, then second is deployed.
func quoted() map[string]struct{ first, second engine.Func } {
	payload := func(n int) []byte { return fmt.Appendf(nil, `{"n":%d,"card":"%s"}`, n, canary) }
	act := func(ctx *engine.Context, n int) { ctx.Activity(engine.ActivityCall{Name: "Never", Input: payload(n)}) }
	await := func(ctx *engine.Context) ([]byte, error) { return ctx.Await(ctx.ExternalEvent("e")) }
	one := func(ctx *engine.Context, _ []byte) ([]byte, error) {
		act(ctx, 1)
		return await(ctx)
	}
	return map[string]struct{ first, second engine.Func }{
		"another input": {one, func(ctx *engine.Context, _ []byte) ([]byte, error) {
			act(ctx, 2)
			return await(ctx)
		}},
		"another kind of operation": {one, func(ctx *engine.Context, _ []byte) ([]byte, error) {
			ctx.Child(engine.ChildCall{Name: "Main", Input: payload(3), Instance: "child"})
			return await(ctx)
		}},
		"an operation more": {one, func(ctx *engine.Context, in []byte) ([]byte, error) {
			act(ctx, 1)
			ctx.ExternalEvent("e")
			act(ctx, 2)
			return await(ctx)
		}},
		"an operation less": {func(ctx *engine.Context, _ []byte) ([]byte, error) {
			f := ctx.ExternalEvent("e")
			act(ctx, 1)
			return ctx.Await(f)
		}, func(ctx *engine.Context, _ []byte) ([]byte, error) { return await(ctx) }},
		"an end": {one, func(ctx *engine.Context, _ []byte) ([]byte, error) {
			act(ctx, 1)
			ctx.ExternalEvent("e")
			return payload(4), nil
		}},
		"an end by continuing": {one, func(ctx *engine.Context, _ []byte) ([]byte, error) {
			act(ctx, 1)
			ctx.ExternalEvent("e")
			return nil, ctx.ContinueAsNew("", payload(4), nil)
		}},
		"an event for another instance": {func(ctx *engine.Context, _ []byte) ([]byte, error) {
			_ = ctx.RaiseEvent("other", "told", payload(5), nil)
			return await(ctx)
		}, func(ctx *engine.Context, _ []byte) ([]byte, error) {
			_ = ctx.RaiseEvent("other", "told", payload(6), nil)
			return await(ctx)
		}},
		"a panic that quotes the input": {one, func(ctx *engine.Context, in []byte) ([]byte, error) { panic("bad input " + string(in)) }},
		"a panic with an error":         {one, func(ctx *engine.Context, in []byte) ([]byte, error) { panic(fmt.Errorf("bad %s", in)) }},
		"a panic in a branch": {one, func(ctx *engine.Context, in []byte) ([]byte, error) {
			return ctx.Await(ctx.Go(func(*engine.Context) ([]byte, error) { panic(struct{ Input string }{string(in)}) }))
		}},
		"a limit": {one, func(ctx *engine.Context, in []byte) ([]byte, error) {
			act(ctx, 1)
			_, _ = await(ctx)
			for {
				act(ctx, 7)
			}
		}},
	}
}

// shown returns everything that is not encrypted, or that people read: stored records, histories
// and messages, reasons of dead letters, and logs.
func (w *world) shown(log *bytes.Buffer, instances ...string) string {
	w.Helper()
	text := log.String()
	for _, instance := range instances {
		r, err := w.store.Describe(w.Context(), instance)
		if err != nil {
			w.Fatal(err)
		}
		text += bytesOf(reflect.ValueOf(r))
		turns, err := w.store.Read(w.Context(), instance, 1, 1)
		if err != nil {
			w.Fatal(err)
		}
		for i := range turns {
			text += bytesOf(reflect.ValueOf(turns[i]))
		}
	}
	for _, q := range []interface{ Peek() []queue.Message }{w.deadFIFO, w.deadStandard} {
		for _, m := range q.Peek() {
			text += m.Attributes[wire.ReasonAttribute] + "\n"
		}
	}
	for _, s := range w.sources() {
		for _, m := range s.queue.Peek() {
			text += m.Body + "\n"
		}
	}
	return text
}

func TestWithACodecNoReasonQuotesAPayload(t *testing.T) {
	t.Parallel()
	for name, c := range quoted() {
		for _, policy := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, policy fail %t", name, policy), func(t *testing.T) {
				t.Parallel()
				quotes := 0
				for _, encoded := range []bool{false, true} {
					var log bytes.Buffer
					w := newWorld(t, func(w *world) {
						w.settings.Turn.FailWhenStuck, w.settings.Limits.Operations, w.settings.Cache.Instances = policy, 20, -1
						w.logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
						if w.codecs = nil; encoded {
							w.codecs = setOf(t, keyOf(t, "a"))
						}
					})
					w.orchestration("Main", c.first)
					input := `"` + canary + `"`
					w.start("a", "Main", input)
					w.start("b", "Main", input)
					w.settleFIFO()
					w.deploy("Main", c.second)
					w.raise("a", "e", `"`+canary+`"`, "e")
					w.raise("b", "e", `"`+canary+`"`, "e")
					w.settleFIFO()
					shown := w.shown(&log, "a", "b")
					var message [2]string
					for i, instance := range []string{"a", "b"} {
						switch r := w.record(instance); {
						case policy && r.Failure != nil:
							message[i] = r.Failure.Message
						case !policy && r.Problem != nil:
							message[i] = r.Problem.Message
						default:
							t.Fatalf("sealed %t: %s is %s", encoded, instance, r.Status)
						}
					}
					quoted := strings.Contains(message[0], canary)
					switch {
					case !encoded && quoted:
						quotes++
					case !encoded:
						t.Errorf("without a codec the reason does not quote it: %s", message[0])
					case quoted || strings.Contains(shown, canary):
						t.Errorf("a payload is shown: %s\n%s", message[0], shown)
					case !regexp.MustCompile(`(an object|a string|a value) of \d+ bytes with hash [0-9a-f]{16}`).MatchString(message[0]):
						t.Errorf("the reason says nothing of it: %s", message[0])
					}
					if encoded {
						// A different instance has different hashes for the same payloads.
						hashes := regexp.MustCompile(`hash ([0-9a-f]{16})`)
						if a, b := hashes.FindString(message[0]), hashes.FindString(message[1]); a == b {
							t.Errorf("two instances have the same hash %s", a)
						}
					}
				}
				if quotes == 0 {
					t.Error("nothing was quoted without a codec either")
				}
			})
		}
	}
}

// An unchanged reason is not written again with each try, whichever process makes the try.
// Therefore the hash is the same in every process.
func TestTheHashOfAPayloadIsTheSameInEveryProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.codecs = setOf(t, keyOf(t, "a")) })
	c := quoted()["another input"]
	w.orchestration("Main", c.first)
	w.start("a", "Main", `"`+canary+`"`)
	w.settleFIFO()
	w.deploy("Main", c.second)
	w.raise("a", "e", `1`, "e-1")
	w.settleFIFO()
	first := w.record("a").Problem.Message
	w.restart()
	w.raise("a", "e", `1`, "e-2")
	w.settleFIFO()
	if again := w.record("a").Problem.Message; again != first || !strings.Contains(first, "with hash") {
		t.Errorf("another process says %q, the first %q", again, first)
	}
}

// The hash is keyed: somebody who guesses a payload cannot compute the hash, and the same instance
// in a different stack has a different hash.
func TestTheHashOfAPayloadIsKeyed(t *testing.T) {
	t.Parallel()
	c := quoted()["another input"]
	seen := map[string]bool{}
	for stack := range 2 {
		w := newWorld(t, func(w *world) {
			w.codecs = setOf(t, keyOf(t, "a"))
			// The keyring that creates the key of this stack.
			r, err := keyring.New(keyring.Config{Keys: w.keys, Current: w.current, Random: rand.NewChaCha8([32]byte{byte(stack) + 1})})
			if err == nil {
				err = r.Ready(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
		})
		w.orchestration("Main", c.first)
		w.start("a", "Main", `"`+canary+`"`)
		w.settleFIFO()
		w.deploy("Main", c.second)
		w.raise("a", "e", `1`, "e-1")
		w.settleFIFO()
		seen[regexp.MustCompile(`hash [0-9a-f]{16}`).FindString(w.record("a").Problem.Message)] = true
	}
	if len(seen) != 2 || seen[""] {
		t.Errorf("two stacks have the hashes %v", seen)
	}
}

func TestWithACodecNoPanicOfAnActivityQuotesItsInput(t *testing.T) {
	t.Parallel()
	for _, inline := range []bool{false, true} {
		for name, v := range map[string]func(in []byte) any{
			"text":     func(in []byte) any { return "bad " + string(in) },
			"an error": func(in []byte) any { return errors.New(string(in)) },
			"a runtime": func(in []byte) any {
				var a []int
				return func() any { defer func() { panic(recover()) }(); return a[len(in)] }
			},
		} {
			var log bytes.Buffer
			w := newWorld(t, func(w *world) {
				w.codecs = setOf(t, keyOf(t, "a"))
				w.logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			})
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Bad", Input: in, Inline: inline}))
			})
			bad := func(_ context.Context, in []byte) ([]byte, error) {
				if f, ok := v(in).(func() any); ok {
					f()
				}
				panic(v(in))
			}
			w.activityFunc("Bad", bad)
			w.inline = append(w.inline, activities.Activity{Name: "Bad", Source: "test", Func: bad})
			w.start("a", "Main", `"`+canary+`"`)
			w.runFor(time.Minute)
			message := w.record("a").Failure.Message
			if shown := w.shown(&log, "a"); strings.Contains(shown, canary) {
				t.Errorf("%s, inline %t: a payload is shown: %s", name, inline, shown)
			}
			if name == "a runtime" && !strings.Contains(message, "index out of range") || name != "a runtime" && !strings.Contains(message, "is not shown") {
				t.Errorf("%s, inline %t: the message is %s", name, inline, message)
			}
		}
	}
}

func TestWithACodecNoRefusalQuotesAMessage(t *testing.T) {
	t.Parallel()
	bodies := []string{
		canary, `"` + canary + `"`, `{"v":1,"kind":"` + canary + `"}`, `{"v":1,"kind":"StartOrchestration","instance":"x","name":"` + canary + `","input":{`,
		`{"v":1,"kind":"ExternalRaised","instance":"x","name":"e","data":1,"data":"` + canary + `"}`,
		`{"v":1,"kind":"ExternalRaised","instance":{"` + canary + `":1},"name":"e"}`,
		`{"v":1,"kind":"StartOrchestration","instance":"x","name":"Main","execution_id":"` + canary + `"}`,
		`{"v":1,"kind":"StartOrchestration","instance":"x","name":"Main","events":["` + canary + `"]}`,
		`{"v":1,"kind":"StartOrchestration","instance":"x","name":"Main","search_attributes":{"a":["` + canary + `"]}}`,
	}
	for _, encoded := range []bool{false, true} {
		quotes := 0
		for i, body := range bodies {
			for _, q := range []string{"delay", "fifo", "activity"} {
				var log bytes.Buffer
				w := newWorld(t, func(w *world) {
					w.logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
					if w.codecs = nil; encoded {
						w.codecs = setOf(t, keyOf(t, "a"))
					}
				})
				out, to := queue.Outgoing{Body: body}, w.delay
				switch q {
				case "fifo":
					out.Group, out.DedupID, to = "x", "x", w.fifo
				case "activity":
					to = w.activity
				}
				if err := to.Send(t.Context(), out); err != nil {
					t.Fatal(err)
				}
				w.run()
				text := log.String()
				for _, dead := range []interface{ Peek() []queue.Message }{w.deadFIFO, w.deadStandard} {
					for _, m := range dead.Peek() {
						if m.Body != body {
							t.Errorf("the body was changed to %s", m.Body)
						}
						text += m.Attributes[wire.ReasonAttribute]
					}
				}
				if text == "" {
					t.Errorf("body %d on %s left nothing", i, q)
				}
				if strings.Contains(text, canary) {
					if quotes++; encoded {
						t.Errorf("body %d on %s is quoted: %s", i, q, text)
					}
				}
			}
		}
		if !encoded && quotes < 6 {
			t.Errorf("without a codec %d reasons quote the message: the test has lost them", quotes)
		}
	}
}
