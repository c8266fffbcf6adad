package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
)

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
