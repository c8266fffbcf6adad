package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
)

func TestR14TheStackOfAPanicIsTheAuthors(t *testing.T) {
	t.Parallel()
	const (
		head    = "goroutine 7 [running]:"
		ours    = "\nruntime/debug.Stack()\n\t/go/debug/stack.go:26 +0x5e\ngithub.com/turnstile-go/turnstile/engine.(*coroutine).body.func1()\n\t/t/engine/coroutine.go:73 +0x78\npanic({0x1, 0x2})\n\t/go/panic.go:860 +0x13a"
		surface = "\ngithub.com/turnstile-go/turnstile.Activity[...].Start(0x1)\n\t/t/activity.go:89 +0x345"
		nilMap  = "\nruntime.mapassign_faststr(0x1)\n\t/go/map.go:263 +0x1"
		helper  = "\nexample.com/shop.helper(...)\n\t/shop/helper.go:3"
		undo    = "\ngithub.com/turnstile-go/turnstile.(*Saga).Compensate(0x1)\n\t/t/saga.go:56 +0xec"
		flow    = "\nexample.com/shop.flow({0x1})\n\t/shop/flow.go:7 +0x28"
		below   = "\ngithub.com/turnstile-go/turnstile.Orchestration[...].Is.func2({0x1})\n\t/t/orchestration.go:65 +0xd5\ngithub.com/turnstile-go/turnstile/engine.(*coroutine).body(0x1)\n\t/t/engine/coroutine.go:84 +0xb3\niter.Pull[...].func1()\n\t/go/iter.go:301 +0xe5\ncreated by iter.Pull[...] in goroutine 19\n\t/go/iter.go:271 +0x90\n"
	)
	for name, c := range map[string]struct{ stack, want string }{
		"a panic of the author's code":               {head + ours + helper + flow + below, head + helper + flow},
		"a panic of the runtime":                     {head + ours + nilMap + helper + flow + below, head + helper + flow},
		"a panic that reports a wrong call":          {head + ours + surface + flow + below, head + flow},
		"a panic in code that the engine calls back": {head + ours + helper + undo + flow + below, head + helper + undo + flow},
		"a panic of the runtime in the engine":       {head + ours + nilMap + surface + flow + below, head + surface + flow},
		"no panic, as for a blocked goroutine":       {head + surface + flow + below, head + flow},
		"none of the author's code":                  {head + ours + below, head + ours + below},
		"no stack":                                   {"main.go:7", "main.go:7"},
		"nothing at all":                             {"", ""},
	} {
		if got := engine.AuthorsStack(c.stack); got != c.want {
			t.Errorf("%s: left is\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestR15TheReasonNamesThePlaceThatBlocks(t *testing.T) {
	t.Parallel()
	const (
		parked = "\nruntime.gopark(0x1)\n\t/go/proc.go:1\ntime.Sleep(0x1)\n\t/go/time/sleep.go:363 +0x165"
		below  = "\ngithub.com/turnstile-go/turnstile/engine.(*coroutine).body(0x1)\n\t/t/engine/coroutine.go:84 +0xb3\n"
	)
	for stack, want := range map[string]string{
		"goroutine 7 [sleep]:" + parked + "\nexample.com/shop.flow({0x1})\n\t/shop/flow.go:7 +0x28" + below: " at /shop/flow.go:7;",
		"goroutine 7 [sleep]:" + parked + "\nmain.flow(...)\n\t/shop/main.go:9" + below:                     " at /shop/main.go:9;",
		"goroutine 7 [sleep]:" + parked + below:                                                             " at /go/time/sleep.go:363;",
		"the blocked goroutine was not found":                                                               "never yields;",
	} {
		f := newFixture(t, func(*engine.Context, []byte) ([]byte, error) { return nil, nil })
		x := engine.New(engine.Config{Instance: "i", ExecutionID: 1, Registry: f.reg, Options: engine.Options{Guard: gaveUp(stack)}})
		turn, err := x.Run(engine.Input{NowMS: 6, Arrivals: []engine.Arrival{start("0")}})
		if err != nil || turn.Stuck == nil || !strings.Contains(turn.Stuck.Message, want) {
			t.Errorf("stuck is %v, %v, want a reason with %q", turn.Stuck, err, want)
		}
	}
}

// gaveUp is a guard that gives up immediately, with this stack.
type gaveUp string

func (stack gaveUp) Run(func(), func() uint64) string { return string(stack) }

func TestR14TheReasonNamesThePlaceOfThePanic(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		var counts map[string]int
		counts["it"]++
		return nil, nil
	})
	turn := f.turn(start("0"))
	if turn.Stuck == nil || !strings.Contains(turn.Stuck.Message, "engine/stack_test.go:") || !strings.Contains(turn.Stuck.Message, "nil map") {
		t.Fatalf("stuck is %v", turn.Stuck)
	}
	lines := strings.Split(turn.Stuck.Stack, "\n")
	if len(lines) != 3 || !strings.Contains(lines[1], "TestR14TheReasonNamesThePlaceOfThePanic") || !strings.Contains(lines[2], "stack_test.go:") {
		t.Errorf("the stack is\n%s", turn.Stuck.Stack)
	}
}

// numb is an error whose text needs a field of a nil pointer; treacherous is one whose
// other methods panic.
type numb struct{ text string }

func (e *numb) Error() string { return e.text }

type treacherous struct{}

func (treacherous) Error() string { return "treacherous" }
func (treacherous) Is(error) bool { panic("Is") }

func TestR14AnErrorWhoseMethodsPanicIsAPanicOfTheCode(t *testing.T) {
	t.Parallel()
	var none *numb
	for name, failed := range map[string]error{"a typed nil": none, "wrapped": fmt.Errorf("not charged: %w", treacherous{})} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, func(*engine.Context, []byte) ([]byte, error) { return nil, failed })
			turn := f.turn(start("0"))
			if turn.Stuck == nil || turn.Stuck.Kind != engine.StuckPanic {
				t.Fatalf("stuck is %v", turn.Stuck)
			}
		})
	}
}
