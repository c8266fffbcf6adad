package deciding

import (
	"testing"

	"github.com/turnstile-go/turnstile/internal/host/inbox"
)

// Every decision determines which messages are open, and most turns have not settled any of them
// yet.
func TestOpenAllocatesNothingUntilAMessageIsSettled(t *testing.T) {
	g := &Group{Messages: messages(message("m", event("e"), 1), message("n", event("f"), 1))}
	if n := testing.AllocsPerRun(100, func() { _ = g.Open() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	g.Messages[0].State = inbox.Settled
	if open := g.Open(); len(open) != 1 || open[0].ID != "n" {
		t.Errorf("%d are open", len(open))
	}
}
