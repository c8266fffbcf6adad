package simulation

import "slices"

const (
	// searchSeeds is how many seeds a smaller program is given to fail.
	searchSeeds = 25
	// searchRuns bounds the runs of shrinking what one of them found.
	searchRuns = 250
)

// searchAgain looks for the same failure in smaller programs, with other faults
// and another order than the one that is known: leaving a statement out changes
// when everything behind it happens, so that what was found by chance is often
// missed by one step and found by chance again. It reports whether anything was
// found.
func (s *shrinker) searchAgain() bool {
	for _, smaller := range s.smallerPrograms() {
		for seed := uint64(1); seed <= searchSeeds && s.left(); seed++ {
			c := seeded(seed)
			c.source = newReplay(smaller)
			c.free[ofFault>>32], c.free[ofSchedule>>32], c.free[ofDelivery>>32] = true, true, true
			r, made := s.run(c)
			if !s.fails(&r) {
				continue
			}
			// Shrunk by itself first: it is larger than what is known as yet.
			budget := min(s.runs, searchRuns)
			inner := &shrinker{setup: s.setup, runs: budget, steps: s.steps, rule: s.rule, best: made, cost: cost(&r, made), bestSteps: r.Steps}
			inner.passes()
			s.runs -= budget - inner.runs
			s.steps = inner.steps
			if simpler(inner.cost, inner.best, s.cost, s.best) {
				s.best, s.cost, s.bestSteps = inner.best, inner.cost, inner.bestSteps
				s.passes()
				return true
			}
			break
		}
	}
	return false
}

// smallerPrograms are the decisions with one fewer about the program, or a lower
// one, and those of now at last.
func (s *shrinker) smallerPrograms() [][]decision {
	var all [][]decision
	seen := map[spot]bool{}
	for _, d := range s.best {
		if a := d.at.area(); (a == ofProgram || a == ofClient || a == ofWorld) && !seen[d.at] {
			seen[d.at] = true
			all = append(all, slices.DeleteFunc(slices.Clone(s.best), func(o decision) bool { return o.at == d.at }))
		}
	}
	for i, d := range s.best {
		if d.at.area() != ofProgram {
			continue
		}
		all = append(all, slices.Delete(slices.Clone(s.best), i, i+1))
		if d.value > 1 {
			lower := slices.Clone(s.best)
			lower[i].value = 1
			all = append(all, lower)
		}
	}
	return append(all, s.best)
}
