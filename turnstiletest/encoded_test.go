package turnstiletest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/aesgcm"
	"github.com/turnstile-go/turnstile/codec/gzip"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// key compresses, and encrypts with a key that has that id.
func key(t testing.TB, id string) codec.Codec {
	t.Helper()
	return codec.Chain(gzip.New(), encrypts(t, id))
}

// encrypts is key without the compression, which clears 640 KB of tables for each payload.
func encrypts(t testing.TB, id string) codec.Codec {
	t.Helper()
	k, err := aesgcm.New(id, bytes.Repeat([]byte(id[:1]), aesgcm.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func keys(t testing.TB, writes codec.Codec, reads ...codec.Codec) turnstiletest.Option {
	t.Helper()
	set, err := codec.NewSet(writes, reads...)
	if err != nil {
		t.Fatal(err)
	}
	return turnstiletest.WithCodecs(set)
}

// marks returns the codec names of the payloads in a history, in order.
func marks(events turnstiletest.History) string {
	var all []string
	for i := range events {
		if m := events[i].Codec; m != "" {
			all = append(all, strings.TrimPrefix(m, "gzip+aesgcm:"))
		}
	}
	return strings.Join(all, " ")
}

// Encoding a value twice gives different bytes, which matters here. A codec that compresses too is
// crash-tested in TestKeysAreChangedWhileAnInstanceRuns.
func TestCrashTestPassesWithACodec(t *testing.T) {
	t.Parallel()
	for name, s := range scenarios() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := turnstiletest.CrashTest(t, flow(s.code, s.parts...), s.run(t), keys(t, encrypts(t, "a")), turnstiletest.WithMaxRuns(60))
			if done.Runs < 14 {
				t.Errorf("it did %+v", done)
			}
		})
	}
}

// secret is part of every payload of the scenario below.
const secret = "4929-1234"

var status = turnstile.NewState[string]("status")

// At each stop another key encrypts, and the code only sees decoded values. The scenario runs once
// without crashes, and is crash-tested.
func TestKeysAreChangedWhileAnInstanceRuns(t *testing.T) {
	t.Parallel()
	a, b := key(t, "a"), key(t, "b")
	app := flow(func(ctx turnstile.Context, n int) (string, error) {
		if err := status.Set(ctx, secret); err != nil {
			return "", err
		}
		first, err := ship.Call(ctx, secret+" one")
		if err != nil {
			return "", err
		}
		second, err := approved.Wait(ctx)
		if err != nil {
			return "", err
		}
		third, err := ship.Inline(ctx, secret+" three")
		return first + second + third, err
	})
	scenario := func(t turnstiletest.T, look bool) func(*turnstiletest.Env) {
		return func(env *turnstiletest.Env) {
			shipped := turnstiletest.On(env, ship).Do(func(_ context.Context, in string) (string, error) { return in + "; ", nil })
			run := turnstiletest.Start(env, fulfil, 7)
			env.RunUntil(turnstiletest.ActivityStarted(ship))
			env.Deploy(app, keys(t.(testing.TB), a, b))
			env.RunUntil(turnstiletest.EventAwaited(approved))
			turnstiletest.Raise(env, approved, run.Instance, secret+" two; ")
			env.Deploy(app, keys(t.(testing.TB), b, a))
			got, err := run.Wait()
			if want := secret + " one; " + secret + " two; " + secret + " three; "; got != want || err != nil {
				t.Errorf("it ended with %q, %v", got, err)
			}
			if !look {
				return
			}
			if in := shipped.Inputs(); len(in) != 2 || in[0] != secret+" one" {
				t.Errorf("the mock was asked %q", in)
			}
			if shown, err := client.StateOf(run.Describe(), status); shown.Value != secret || err != nil {
				t.Errorf("state %+v, %v", shown, err)
			}
			if plain := run.History(); marks(plain) != "" || !strings.Contains(string(plain[1].Payload), secret) {
				t.Errorf("the history is %s, its first activity has the input %s", marks(plain), plain[1].Payload)
			}
			if got, want := marks(run.Stored()), "a b b b b"; got != want {
				t.Errorf("stored under %q, want %q (what came before the first key is plain)", got, want)
			}
			for _, e := range run.Stored()[2:] {
				if bytes.Contains(e.Payload, []byte(secret)) {
					t.Errorf("event %d is stored in the clear: %s", e.EventID, e.Payload)
				}
			}
			replayed := write(t.(*testing.T), "order.json", string(run.Export()))
			turnstiletest.Replay(t, app, replayed, keys(t.(testing.TB), b, a))
			mentions(t.(*testing.T), failure(t.(*testing.T), func(ft turnstiletest.T) {
				turnstiletest.Replay(ft, app, replayed, keys(t.(testing.TB), b))
			}), `"gzip+aesgcm:a"`, "turnstiletest.WithCodecs")
		}
	}
	t.Run("once", func(t *testing.T) {
		t.Parallel()
		scenario(t, true)(turnstiletest.New(t, app))
	})
	t.Run("crash-tested", func(t *testing.T) {
		t.Parallel()
		turnstiletest.CrashTest(t, app, scenario(t, false))
	})
}

// Without the key nothing continues until it is deployed. In the meantime descriptions and
// histories name the codec.
func TestWithoutTheKeyNothingContinuesUntilItIsDeployed(t *testing.T) {
	t.Parallel()
	a, b := key(t, "a"), key(t, "b")
	app := flow(func(ctx turnstile.Context, n int) (string, error) {
		if err := status.Set(ctx, secret); err != nil {
			return "", err
		}
		return approved.Wait(ctx)
	})
	env := turnstiletest.New(t, app, keys(t, a))
	run := turnstiletest.Start(env, fulfil, 7)
	env.Run()
	before := run.Export()
	env.Deploy(app, keys(t, b))
	turnstiletest.Raise(env, approved, run.Instance, "Grace")
	env.Advance(3 * time.Hour)
	if !bytes.Equal(run.Export(), before) || len(env.DeadLetters()) != 0 {
		t.Errorf("without the key it came to %s, dead letters %v", run.History(), env.DeadLetters())
	}
	if got := marks(run.History()); got != "a" {
		t.Errorf("the history that cannot be opened names %q", got)
	}
	d := run.Describe()
	if unknown, ok := errors.AsType[*codec.UnknownError](d.DecodeError); !ok || unknown.Codec != a.Name() || d.States != nil {
		t.Errorf("it is described as %+v", d)
	}
	env.Deploy(app, keys(t, b, a))
	if got, err := run.Wait(); got != "Grace" || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
	run.AssertHistory("Started Sub(approved) Ev(approved) Completed")
	if got := marks(run.Stored()); got != "a b b" {
		t.Errorf("stored under %q", got)
	}
}

func TestAGoldenFileIsComparedByItsDecodedPayloads(t *testing.T) {
	t.Parallel()
	run := func(ft turnstiletest.T, n int, options ...turnstiletest.Option) *turnstiletest.Run[string] {
		env := turnstiletest.New(ft, flow(chargeAndShip), options...)
		turnstiletest.On(env, charge).Return("r-1", nil)
		turnstiletest.On(env, ship).Return("t-1", nil)
		run := turnstiletest.Start(env, fulfil, n, client.WithInstanceID("order-7"))
		if _, err := run.Wait(); err != nil {
			ft.Fatalf("%v", err)
		}
		return run
	}
	const file = "testdata/encoded/order-7.json"
	encoded := keys(t, key(t, "a"))
	run(t, 7, encoded).AssertGolden(file)
	if *update {
		return
	}
	turnstiletest.Replay(t, flow(chargeAndShip), file, encoded)
	mentions(t, failure(t, func(ft turnstiletest.T) { run(ft, 8, encoded).AssertGolden(file) }), "-   1 Started  Fulfil  7", "+   1 Started  Fulfil  8")
	mentions(t, failure(t, func(ft turnstiletest.T) { run(ft, 7).AssertGolden(file) }), "give the environment the codecs", "gzip+aesgcm:a")
}

// Two runs that end without the key are not the same, because their payloads cannot be compared.
func TestCrashTestNamesPayloadsThatItCannotDecode(t *testing.T) {
	t.Parallel()
	a, b := key(t, "a"), key(t, "b")
	app := flow(func(_ turnstile.Context, n int) (string, error) { return fmt.Sprint(n), nil })
	n := 0
	text := failure(t, func(ft turnstiletest.T) {
		turnstiletest.CrashTest(ft, app, func(env *turnstiletest.Env) {
			n++
			if _, err := turnstiletest.Start(env, fulfil, 7).Wait(); err != nil {
				ft.Errorf("%v", err)
			}
			if n > 1 {
				env.Deploy(app, keys(t, b))
			}
		}, keys(t, a))
	})
	mentions(t, text, "which this process does not have", a.Name())
}
