// Package bill says what a step costs on AWS: kinds of steps on a stack in virtual
// time that counts what is charged (package stack).
//
//	go -C tools/bench test ./bill             # holds docs/internal/performance.md against it
//	go -C tools/bench test ./bill -update     # writes the tables there anew
//	go -C tools/bench test ./bill -v          # prints them
package bill

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/tools/bench/stack"
)

// note is a payload of 200 bytes, of which 150 look random, and differ with what it
// follows from.
func note(from ...[]byte) []byte {
	var random []byte
	for n := byte(0); len(random) < 75; n++ {
		sum := sha256.Sum256(append([]byte{n}, bytes.Join(from, nil)...))
		random = append(random, sum[:]...)
	}
	const head, tail = `{"kind":"order","state":"open","key":"`, `","n":"123"}`
	return fmt.Appendf(nil, "%s%s%s", head, hex.EncodeToString(random[:75]), tail)
}

// setting is how the functions are run.
type setting struct {
	stack.Setting
	// work is what an attempt takes, by its number.
	work func(n int) time.Duration
}

// world is a stack whose orchestration "Main" is code, with activities "Step" and
// "Approve", which stays pending, and an orchestration "Child".
type world struct {
	*stack.Stack
	t *testing.T
	// attempted counts attempts.
	attempted atomic.Int64
	// token of the approval that was asked for last.
	token atomic.Value
}

func newWorld(t *testing.T, s setting, code engine.Func) *world {
	t.Helper()
	w := &world{t: t}
	child := func(_ *engine.Context, in []byte) ([]byte, error) { return in, nil }
	orchestrations, err := engine.NewRegistry(engine.Orchestration{Name: "Main", Func: code}, engine.Orchestration{Name: "Child", Func: child})
	if err != nil {
		t.Fatal(err)
	}
	step := func(_ context.Context, in []byte) ([]byte, error) {
		if n := int(w.attempted.Add(1)); s.work != nil {
			time.Sleep(s.work(n))
		}
		return note(in), nil
	}
	activities, err := activities.NewRegistry(activities.Activity{Name: "Step", Func: step}, activities.Activity{Name: "Approve", Func: w.ask})
	if err != nil {
		t.Fatal(err)
	}
	w.Stack = stack.New(t, s.Setting, orchestrations, activities)
	return w
}

// ask leaves an approval pending.
func (w *world) ask(ctx context.Context, _ []byte) ([]byte, error) {
	info, _ := activities.InfoFrom(ctx)
	w.token.Store(info.CompletionToken)
	return nil, activities.ErrPending
}

func (w *world) start(instance string) {
	w.Send(wire.Item{Kind: wire.StartOrchestration, Instance: instance, ID: "start", Name: "Main", Input: note([]byte(instance))})
}

// expect fails the test unless so many instances have the status.
func (w *world) expect(instances int, want store.Status) {
	w.t.Helper()
	for n := range instances {
		r, err := w.Describe(instance(n))
		if err != nil || r.Status != want {
			w.t.Fatalf("instance %d is %s (%v), want %s: %v", n, r.Status, r.Problem, want, err)
		}
	}
}

func instance(n int) string { return fmt.Sprintf("instance-%03d", n) }
