package program

import (
	"fmt"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

// In some runs at most so many instances of a program run at a time. Each program has a key of its
// own: an instance that has a place waits for instances of later programs alone, so nobody who
// has a place waits for one who waits for that place.

// LimitInstances lets choices decide how many instances of each program run at a time.
func (ps Programs) LimitInstances(c *choice.Choices) {
	for _, p := range ps {
		p.Limit = []int{0, 1, 1, 2}[c.IntN(c.At(c.At(choice.OfProgram, p.Name), "instances"), 4)]
	}
}

// limitKey is the key of the limit of a program; empty where it has none.
func (p *Program) limitKey() string {
	if p.Limit == 0 {
		return ""
	}
	return p.Name
}

// underLimit says what limit the instances of a program have.
func (p *Program) underLimit() string {
	if p.Limit == 0 {
		return ""
	}
	return fmt.Sprintf(", of which at most %d run,", p.Limit)
}
