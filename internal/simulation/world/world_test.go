package world

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
)

func TestAWorldEndsThoughWhatRunsThereHasPanicked(t *testing.T) {
	t.Parallel()
	w := New(choice.Choices{Source: plainly{}}, Options{Watch: quietly})
	p := &Process{W: w, Name: "p", clock: skewed{Virtual: w.Clock}, Seen: map[ledger.Execution]int64{}}
	w.Processes = append(w.Processes, p)
	inv := &Invocation{P: p}
	inv.routine = w.routine(func() { panic("it cannot go on") })
	p.Running = inv
	func() {
		defer func() {
			text, _ := recover().(string)
			if !strings.HasPrefix(text, "it cannot go on\n") || !strings.Contains(text, "world_test.go") {
				t.Errorf("the panic is %q, want one that says what panicked, with its stack", text)
			}
		}()
		inv.routine.resume()
	}()
	w.Close()
}
