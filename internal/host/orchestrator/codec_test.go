package orchestrator

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/aesgcm"
	"github.com/turnstile-go/turnstile/codec/gzip"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// everyEncoded runs all tests of this package with a payload codec.
var everyEncoded = flag.Bool("codec", false, "give every world a payload codec")

func keyOf(t testing.TB, id string) codec.Codec {
	k, err := aesgcm.New(id, bytes.Repeat([]byte(id[:1]), aesgcm.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return codec.Chain(gzip.New(), k)
}

// everyCodec does not compress, because compression could make payloads that are too large small
// enough.
func everyCodec(t testing.TB) *codec.Set {
	k, err := aesgcm.New("every", make([]byte, aesgcm.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return setOf(t, k)
}

func setOf(t testing.TB, current codec.Codec, others ...codec.Codec) *codec.Set {
	s, err := codec.NewSet(current, others...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// secretText occurs in every payload of the program below, and nowhere else.
const secretText = "SECRETTEXT"

// encodedWorld uses everything that carries payloads: input, activity with heartbeat and
// retry, inline activity, external event, child, detached start, message to another
// instance, custom status, continue-as-new, a failure's details, output.
func encodedWorld(t *testing.T) *world {
	w := newWorld(t, nil)
	secret := func(n int) []byte { return fmt.Appendf(nil, `"%s %d"`, secretText, n) }
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if !bytes.Contains(in, []byte("again")) {
			ctx.SetState(history.ListedState, secret(1))
			out, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Work", Input: secret(2), Retry: &history.Retry{MaxAttempts: 3}}))
			if err != nil || !bytes.Equal(out, secret(3)) {
				return nil, fmt.Errorf("activity gave %s, %w", out, err)
			}
			if out, err = ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: secret(4), Inline: true})); err != nil || !bytes.Equal(out, secret(4)) {
				return nil, fmt.Errorf("inline activity gave %s, %w", out, err)
			}
			if out, err = ctx.Await(ctx.ExternalEvent("go")); err != nil || !bytes.Equal(out, secret(5)) {
				return nil, fmt.Errorf("event gave %s, %w", out, err)
			}
			return nil, ctx.ContinueAsNew("", []byte(`"again `+secretText+`"`), nil)
		}
		out, err := ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Input: secret(6)}))
		if err != nil || !bytes.Equal(out, secret(6)) {
			return nil, fmt.Errorf("child gave %s, %w", out, err)
		}
		_, err = ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Fail", Input: secret(7)}))
		failed, ok := errors.AsType[*engine.FailureError](err)
		if !ok || !bytes.Equal(failed.Failure.Details, secret(8)) {
			return nil, fmt.Errorf("failing activity gave %v", err)
		}
		return secret(9), nil
	})
	w.orchestration("Child", func(_ *engine.Context, in []byte) ([]byte, error) { return in, nil })
	w.inline = append(w.inline, activities.Activity{Name: "Step", Source: "test", Func: func(_ context.Context, in []byte) ([]byte, error) { return in, nil }})
	w.activityFunc("Work", func(ctx context.Context, in []byte) ([]byte, error) {
		info, _ := activities.InfoFrom(ctx)
		if !bytes.Equal(in, secret(2)) {
			return nil, fmt.Errorf("input %s", in)
		}
		if info.Number == 1 {
			_ = activities.Beat(ctx, secret(10))
			return nil, errors.New("once more")
		}
		if !bytes.Equal(info.Heartbeat, secret(10)) {
			return nil, fmt.Errorf("heartbeat %s", info.Heartbeat)
		}
		return secret(3), nil
	})
	w.activityFunc("Fail", func(context.Context, []byte) ([]byte, error) {
		return nil, detailed{errors.New("no"), secret(8)}
	})
	return w
}

// With a codec, the store and the queues receive no payload in plain text, and the code sees only
// plain text.
func TestNoPlaintextLeavesTheHost(t *testing.T) {
	t.Parallel()
	w := encodedWorld(t)
	w.codecs = setOf(t, keyOf(t, "a"))
	commits, sends := 0, 0
	w.beforeCommit = func(c *store.Commit) error {
		commits++
		if text := bytesOf(reflect.ValueOf(c)); strings.Contains(text, secretText) {
			t.Errorf("a commit shows a payload: %s", text)
		}
		return nil
	}
	w.beforeSend = func(name string, msgs []queue.Outgoing) error {
		for _, m := range msgs {
			sends++
			if strings.Contains(m.Body, secretText) {
				t.Errorf("a message for the %s queue shows a payload: %s", name, m.Body)
			}
		}
		return nil
	}
	w.start("main", "Main", `"`+secretText+`"`)
	w.runFor(time.Minute)
	state, err := w.stops.State(t.Context(), store.ActivityKey{Instance: "main", ExecutionID: 1, EventID: 2})
	if err != nil || len(state.Beat.Details) == 0 || bytes.Contains(state.Beat.Details, []byte(secretText)) {
		t.Errorf("the heartbeat has details %s, %v", state.Beat.Details, err)
	}
	w.raise("main", "go", `"`+secretText+` 5"`, "e") // plain, which any sender may use
	w.run()
	w.expectOutput("main", `"`+secretText+` 9"`)
	if got := string(history.StateNamed(w.record("main").States, history.ListedState)); got != `"`+secretText+` 1"` {
		t.Errorf("custom status %s", got)
	}
	if commits < 8 || sends < 5 {
		t.Errorf("looked at %d commits and %d messages only", commits, sends)
	}
	w.expectQuiet()
	w.expectDead()
	w.expectInvariants("main")
}

// bytesOf collects all byte slices and strings in a value.
func bytesOf(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return bytesOf(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return string(v.Bytes()) + " "
		}
		s := ""
		for i := range v.Len() {
			s += bytesOf(v.Index(i))
		}
		return s
	case reflect.Struct:
		s := ""
		for i := range v.NumField() {
			s += bytesOf(v.Field(i))
		}
		return s
	case reflect.String:
		return v.String() + " "
	}
	return ""
}

// detailed is an error with details.
type detailed struct {
	error
	details []byte
}

func (d detailed) Failure() *history.Failure {
	return &history.Failure{Kind: history.FailureApplication, Message: d.Error(), Details: d.details}
}

// W-01 to W-12 with a codec: each program of the crash sweep runs with a new key after each batch.
// Each process starts with an empty cache and reads what others wrote under three keys, or in plain
// text before the first key.
func TestEveryProgramRunsWhileKeysRotate(t *testing.T) {
	t.Parallel()
	a, b, c := keyOf(t, "a"), keyOf(t, "b"), keyOf(t, "c")
	rotation := []*codec.Set{setOf(t, a, b, c), setOf(t, b, a, c), setOf(t, c, a, b), setOf(t, nil, a, b, c)}
	for _, p := range programs() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			n := 0
			w := p.run(t, func(w *world) {
				w.codecs = rotation[0]
				w.evict = func() bool {
					n++
					w.codecs = rotation[n%len(rotation)]
					w.worker = nil
					w.change(func(c *Config) { c.Codecs = w.codecs })
					return true
				}
			})
			p.check(w)
		})
	}
}

// An encrypted append is repeated byte for byte, so the store recognizes the writer's own append.
// Encrypted operations that were not dispatched are decrypted and sent again.
func TestKilledAtEachCallWithACodec(t *testing.T) {
	t.Parallel()
	for _, p := range programs()[:2] {
		set := func(w *world) { w.codecs = setOf(t, keyOf(t, "a")) }
		undisturbed := p.run(t, set)
		calls := undisturbed.process().calls
		p.check(undisturbed)
		for k := 1; k <= calls; k++ {
			for _, after := range []bool{false, true} {
				p.check(p.run(t, func(w *world) {
					set(w)
					w.process().killAt, w.process().after = k, after
				}))
			}
		}
	}
}

// Without the key nothing is written, and messages are requeued until a build has the key.
func TestWithoutTheKeyNothingIsWrittenAndMessagesAreRequeued(t *testing.T) {
	t.Parallel()
	a, b := keyOf(t, "a"), keyOf(t, "b")
	t.Run("of a history", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, func(w *world) { w.orchestration("Main", waits("go")) })
		w.codecs = setOf(t, a)
		w.start("main", "Main", `"x"`)
		w.run()
		before := w.turns("main", 1)
		w.codecs = setOf(t, b)
		w.restart()
		w.raise("main", "go", `"y"`, "e")
		w.runFor(3 * time.Hour)
		w.expectDead()
		w.codecs = setOf(t, b, a)
		if after := w.turns("main", 1); !reflect.DeepEqual(before, after) {
			t.Errorf("written without the key:\n%v\n%v", before, after)
		}
		if n := w.observer.counts[string(host.CountDelayed)+" codec"]; n < 3 {
			t.Errorf("went round %d times", n)
		}
		w.restart()
		w.run()
		w.expectStatus("main", store.StatusCompleted)
		w.expectQuiet()
	})
	t.Run("of a message, and of an attempt", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, func(w *world) {
			w.orchestration("Main", chain(1))
			w.activityFunc("Step", step)
		})
		start, err := setOf(t, a).EncodeItem(wire.Item{V: 1, Kind: wire.StartOrchestration, Instance: "main", Name: "Main", Input: []byte("1"), ID: "s"})
		if err != nil {
			t.Fatal(err)
		}
		w.send(start)
		w.runFor(2 * time.Hour)
		w.expectDead()
		if r := w.record("main"); r.Instance != "" {
			t.Errorf("a start without its key made %+v", r)
		}
		w.codecs = setOf(t, a)
		w.restart()
		for w.record("main").Instance == "" {
			w.runFor(time.Minute)
			if len(w.activity.Peek()) > 0 {
				break
			}
		}
		w.run()
		w.expectOutput("main", "11")
		w.expectDead()
	})
}

// A payload that its codec cannot decode leads to a dead letter with the reason, a corrupt history,
// or a failed activity.
func TestADamagedPayloadIsNeverGuessed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.orchestration("Main", waits("go")) })
	w.codecs = setOf(t, keyOf(t, "a"))
	w.start("main", "Main", `"x"`)
	w.send(wire.Item{Kind: wire.ExternalRaised, Instance: "main", Name: "go", Data: []byte(`"bm90IHNlYWxlZA=="`), Codec: "gzip+aesgcm:a", ID: "e"})
	w.run()
	w.expectDead("damaged")
	w.expectHistory("main", 1, "Started Sub(go)")

	// The same key id with a different key: as if the bytes had been changed.
	other, err := aesgcm.New("a", make([]byte, aesgcm.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	good := w.codecs
	w.codecs = setOf(t, codec.Chain(gzip.New(), other))
	w.restart()
	w.raise("main", "go", `"y"`, "e2")
	w.run()
	w.codecs = good
	w.expectStatus("main", store.StatusCorrupt)
	w.expectDead("damaged", "corrupt")
	w.restart()
	w.raise("main", "go", `"z"`, "e3")
	w.run()
	w.expectOutput("main", `["z"]`)
}

// Nothing is written or lost while a codec fails.
func TestAFailedEncodingIsRetried(t *testing.T) {
	t.Parallel()
	p := programs()[0]
	failing := &moody{Codec: keyOf(t, "a"), random: rand.New(rand.NewPCG(1, 2))}
	w := p.run(t, func(w *world) { w.codecs = setOf(t, failing) })
	p.check(w)
	if failing.n < 10 {
		t.Errorf("the codec was asked %d times only", failing.n)
	}
}

// moody fails every third time, on average.
type moody struct {
	codec.Codec
	random *rand.Rand
	n      int
}

func (m *moody) Encode(plain []byte) ([]byte, error) {
	if m.n++; m.random.IntN(3) == 0 {
		return nil, errors.New("no key today")
	}
	return m.Codec.Encode(plain)
}

// L-01: an encrypted payload of exactly the limit is accepted; a payload with one more byte is
// refused, encrypted or plain.
func TestL01ThePayloadLimitAppliesToTheDecodedValue(t *testing.T) {
	t.Parallel()
	key, err := aesgcm.New("a", make([]byte, aesgcm.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	value := func(n int) []byte { return []byte(`"` + strings.Repeat("x", n-2) + `"`) }
	limit := wire.DefaultLimits().Payload
	w := newWorld(t, func(w *world) {
		w.orchestration("Main", func(_ *engine.Context, in []byte) ([]byte, error) { return in, nil })
	})
	w.codecs = setOf(t, key)
	item := wire.Item{V: 1, Kind: wire.StartOrchestration, Instance: "at", Name: "Main", Input: value(limit), ID: "s"}
	body, err := w.codecs.MarshalItem(item)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := wire.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	w.send(encoded)
	item.Instance, item.Input = "over", value(limit+1)
	if _, err := w.codecs.MarshalItem(item); err == nil || !strings.Contains(err.Error(), "too_large") {
		t.Errorf("one byte more: %v", err)
	}
	if encoded, err = w.codecs.EncodeItem(item); err != nil {
		t.Fatal(err)
	}
	w.send(encoded)
	w.run()
	w.expectOutput("at", string(value(limit)))
	w.expectDead("too_large")
}
