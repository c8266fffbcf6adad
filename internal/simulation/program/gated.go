package program

import (
	"fmt"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

// In some runs the number of running instances of a program is limited. Each program has its own
// key. An instance with a permit waits only for instances of later programs, so it never waits for
// one that waits for its permit.

// LimitInstances decides how many instances of each program run at a time.
func (ps Programs) LimitInstances(c *choice.Choices) {
	for _, p := range ps {
		p.Limit = []int{0, 1, 1, 2}[c.IntN(c.At(c.At(choice.OfProgram, p.Name), "instances"), 4)]
	}
}

// limitKey returns the key of the limit of a program; empty if it has none.
func (p *Program) limitKey() string {
	if p.Limit == 0 {
		return ""
	}
	return p.Name
}

// underLimit describes the limit of the instances of a program.
func (p *Program) underLimit() string {
	if p.Limit == 0 {
		return ""
	}
	return fmt.Sprintf(", of which at most %d run,", p.Limit)
}
