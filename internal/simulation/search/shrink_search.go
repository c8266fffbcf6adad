package search

import (
	"slices"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
)

const (
	// searchSeeds is the number of seeds with which a smaller program may fail if only one
	// sort of faults moves, searchAnew the number if everything is decided again.
	searchSeeds, searchAnew = 12, 16
	// searchRuns limits the runs of shrinking what one of them found.
	searchRuns = 200
	// searchRate is the rate of a fault whose place is searched, in parts of 10,000.
	searchRate = 500
)

// searchAgain looks for the same failure in smaller programs, with faults at other places
// and in another order: leaving out a statement shifts everything after it, so a failure
// that was found by chance is missed by one step, and is found by chance again. It reports
// whether anything was found.
func (s *shrinker) searchAgain() bool {
	for _, smaller := range s.smallerPrograms() {
		for _, sort := range s.sortsOfFaults() {
			how := choice.OfFault.Of(sort).Within(world.Particulars)
			free := func(at choice.Spot) bool { return at.Area() == choice.OfFault && at.Sort() == sort && at != how }
			if s.search(smaller, searchSeeds, free, func(w *world.World) {
				if sort != fault.OfCallsSort {
					w.GoesWrong(sort, searchRate)
				}
			}) {
				return true
			}
		}
		anew := func(at choice.Spot) bool {
			return at.Area() == choice.OfFault || at.Area() == choice.OfSchedule || at.Area() == choice.OfDelivery
		}
		if s.search(smaller, searchAnew, anew, nil) {
			return true
		}
	}
	return false
}

// search runs seeds with the decisions that are not free, and keeps the first that fails if
// it shrinks to something simpler than the best run so far.
func (s *shrinker) search(fixed []choice.Decision, seeds uint64, free func(choice.Spot) bool, setup func(*world.World)) bool {
	for seed := uint64(1); seed <= seeds && s.left(); seed++ {
		c := choice.Seeded(seed)
		c.Source, c.Free = choice.NewReplay(fixed), free
		all := s.setup
		if setup != nil {
			all = append(slices.Clip(all), setup)
		}
		r, made := s.run(c, all)
		if !s.fails(&r) {
			continue
		}
		// It is first shrunk on its own, because it is larger than the best run so far.
		budget := min(s.runs, searchRuns)
		inner := &shrinker{setup: s.setup, runs: budget, steps: s.steps, rule: s.rule, best: made, cost: cost(&r, made), bestSteps: r.Steps}
		inner.passes()
		s.runs -= budget - inner.runs
		s.steps = inner.steps
		if !simpler(inner.cost, inner.best, s.cost, s.best) {
			return false
		}
		s.best, s.cost, s.bestSteps = inner.best, inner.cost, inner.bestSteps
		s.passes()
		return true
	}
	return false
}

// sortsOfFaults returns the sorts of faults that are left.
func (s *shrinker) sortsOfFaults() []int {
	var all []int
	for _, d := range s.best {
		if d.At.Area() == choice.OfFault && !slices.Contains(all, d.At.Sort()) {
			all = append(all, d.At.Sort())
		}
	}
	return all
}

// smallerPrograms returns the decisions without one of them, without those of one
// statement, or without one fault; or with a lower decision about the program; and finally
// the decisions unchanged.
func (s *shrinker) smallerPrograms() [][]choice.Decision {
	var all [][]choice.Decision
	seen := map[choice.Spot]bool{}
	for i, d := range s.best {
		switch d.At.Area() {
		case choice.OfProgram, choice.OfClient, choice.OfWorld:
			if !seen[d.At] {
				seen[d.At] = true
				all = append(all, slices.DeleteFunc(slices.Clone(s.best), func(o choice.Decision) bool { return o.At == d.At }))
			}
		case choice.OfFault:
			all = append(all, slices.Delete(slices.Clone(s.best), i, i+1))
		}
	}
	for i, d := range s.best {
		if d.At.Area() != choice.OfProgram {
			continue
		}
		all = append(all, slices.Delete(slices.Clone(s.best), i, i+1))
		if d.Value > 1 {
			lower := slices.Clone(s.best)
			lower[i].Value = 1
			all = append(all, lower)
		}
	}
	return append(all, s.best)
}
