package search

import (
	"slices"

	"github.com/turnstile-go/turnstile/internal/simulation"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
)

// Shrunk is the smallest run found that breaks the invariant that a larger one broke.
type Shrunk struct {
	// Result of the smaller run, with its story; its Seed is the seed of the larger
	// run.
	world.Result
	// Runs counts the runs that were tried.
	Runs int
}

// MostShrinkRuns is the default limit of runs for shrinking.
const MostShrinkRuns = 2000

// mostShrinkSteps limits the steps of all of them together, because a run that does not end
// takes very many.
const mostShrinkSteps = 20_000_000

// Shrink runs a seed and, if it breaks an invariant, smaller and smaller runs that break
// the same one, at most `runs` of them. ok is false if the seed breaks none. The same seed
// always shrinks to the same run.
func Shrink(seed uint64, runs int) (s Shrunk, ok bool) {
	s, ok = shrink(choice.Seeded(seed), runs)
	s.Seed = seed
	return s, ok
}

// ShrinkChoices is Shrink for choices in their text form.
func ShrinkChoices(text string, runs int) (s Shrunk, ok bool, err error) {
	made, err := choice.Parse(text)
	if err != nil {
		return s, false, err
	}
	s, ok = shrink(choice.Choices{Source: choice.NewReplay(made)}, runs)
	return s, ok, nil
}

func shrink(c choice.Choices, runs int, setup ...func(*world.World)) (Shrunk, bool) {
	c.Record = choice.NewRecord()
	first := simulation.Make(c, false, setup...)
	if !first.Failed() {
		return Shrunk{Result: first}, false
	}
	s := &shrinker{setup: setup, runs: runs, steps: mostShrinkSteps, rule: first.Violations[0].Rule, best: c.Record.Made, cost: cost(&first, c.Record.Made), bestSteps: first.Steps}
	s.passes()
	for s.left() && s.searchAgain() {
	}
	return Shrunk{simulation.Make(choice.Choices{Source: choice.NewReplay(s.best), Record: choice.NewRecord()}, true, setup...), runs - s.runs}, true
}

// shrinker looks for fewer and lower decisions that break the rule. Decisions that the
// broken run did not request are dropped at once, so a fault disappears with its details,
// and a program with its statements.
type shrinker struct {
	setup       []func(*world.World)
	runs, steps int // left
	rule        string
	best        []choice.Decision
	cost        int
	bestSteps   int
	found       int // how often something simpler was found
}

func (s *shrinker) left() bool { return s.runs > 0 && s.steps > 0 }

// try keeps a candidate if it breaks the rule and is simpler.
func (s *shrinker) try(candidate []choice.Decision) bool {
	return s.left() && s.tryRun(choice.Choices{Source: choice.NewReplay(candidate)})
}

func (s *shrinker) tryRun(c choice.Choices) bool {
	r, made := s.run(c, s.setup)
	if !s.fails(&r) || !simpler(cost(&r, made), made, s.cost, s.best) {
		return false
	}
	s.best, s.cost, s.bestSteps = made, cost(&r, made), r.Steps
	s.found++
	return true
}

// run runs choices, within limits: a run that takes much longer is not simpler.
func (s *shrinker) run(c choice.Choices, setup []func(*world.World)) (world.Result, []choice.Decision) {
	s.runs--
	c.Record = choice.NewRecord()
	most := min(2*s.bestSteps+1000, world.MaxSteps)
	r := simulation.Make(c, false, append(slices.Clip(setup), func(w *world.World) { w.StopAfter(most) })...)
	s.steps -= r.Steps
	return r, c.Record.Made
}

func (s *shrinker) fails(r *world.Result) bool { return r.Failed() && r.Violations[0].Rule == s.rule }

// cost measures how much of a run a person must read and understand: the faults, the
// program, the steps that are not in the simplest order, and the lines of the story.
func cost(r *world.Result, made []choice.Decision) int {
	n := r.Steps
	for _, f := range r.Faults {
		n += 20 * f
	}
	for _, d := range made {
		n += 3
		if d.At.Area() == choice.OfProgram {
			n += 10
		}
	}
	return n
}

// simpler orders runs by their cost, and then by the sum of their decisions. It makes
// shrinking end.
func simpler(cost int, made []choice.Decision, than int, best []choice.Decision) bool {
	if cost != than {
		return cost < than
	}
	return sum(made, func(d choice.Decision) int { return d.Value }) < sum(best, func(d choice.Decision) int { return d.Value }) ||
		sum(made, func(d choice.Decision) int { return d.Value }) == sum(best, func(d choice.Decision) int { return d.Value }) &&
			sum(made, func(d choice.Decision) int { return d.Nth }) < sum(best, func(d choice.Decision) int { return d.Nth })
}

func sum(made []choice.Decision, of func(choice.Decision) int) (n int) {
	for _, d := range made {
		n += of(d)
	}
	return n
}

// passes repeats pass until it finds nothing more.
func (s *shrinker) passes() {
	for s.left() && s.pass() {
	}
}

// pass tries everything once, the most promising first, and reports whether it found
// anything.
func (s *shrinker) pass() bool {
	found := s.found
	for _, area := range []choice.Spot{choice.OfDelivery, choice.OfSchedule, choice.OfClient, choice.OfWorld, choice.OfFault, choice.OfProgram} {
		s.without(func(d choice.Decision) bool { return d.At.Area() == area })
	}
	for _, area := range []choice.Spot{choice.OfFault, choice.OfProgram, choice.OfClient, choice.OfSchedule, choice.OfDelivery, choice.OfWorld} {
		s.dropSpots(area)
		s.dropChunks(area)
	}
	s.dropSingles()
	s.lowerValues()
	s.lowerNumbers()
	return s.found > found
}

// without tries to replace some decisions by the simplest alternative.
func (s *shrinker) without(drop func(choice.Decision) bool) bool {
	if !slices.ContainsFunc(s.best, drop) {
		return false
	}
	return s.try(slices.DeleteFunc(slices.Clone(s.best), drop))
}

// dropSpots drops all decisions of a spot, such as a whole statement.
func (s *shrinker) dropSpots(area choice.Spot) {
	seen := map[choice.Spot]bool{}
	for i := len(s.best) - 1; i >= 0; i = min(i, len(s.best)) - 1 {
		at := s.best[i].At
		if at.Area() != area || seen[at] {
			continue
		}
		seen[at] = true
		here := func(d choice.Decision) bool { return d.At == at }
		if s.without(here) || area != choice.OfProgram {
			continue
		}
		// A failure at the third commit may happen at the second if there is one statement
		// less.
		for by := 1; by <= 2; by++ {
			if s.try(sooner(slices.DeleteFunc(slices.Clone(s.best), here), by)) {
				break
			}
		}
	}
}

// sooner returns the decisions with all faults and scheduling decisions moved earlier.
func sooner(made []choice.Decision, by int) []choice.Decision {
	for i := range made {
		if a := made[i].At.Area(); a == choice.OfFault || a == choice.OfSchedule {
			made[i].Nth = max(made[i].Nth-by, 0)
		}
	}
	return made
}

// dropChunks drops sequences of decisions of an area, long ones first.
func (s *shrinker) dropChunks(area choice.Spot) {
	count := func() (n int) {
		for _, d := range s.best {
			if d.At.Area() == area {
				n++
			}
		}
		return n
	}
	for size := count() / 2; size > 1; size /= 2 {
		for from := count() - size; from > -size; from -= size {
			n := 0
			s.without(func(d choice.Decision) bool {
				if d.At.Area() != area {
					return false
				}
				n++
				return n > from && n <= from+size
			})
		}
	}
}

// dropSingles drops decisions one by one; the later ones on their spot stay in place or
// move up.
func (s *shrinker) dropSingles() {
	for i := len(s.best) - 1; i >= 0; i = min(i, len(s.best)) - 1 {
		d := s.best[i]
		rest := slices.Delete(slices.Clone(s.best), i, i+1)
		if s.try(rest) {
			continue
		}
		moved := false
		for j := range rest {
			if rest[j].At == d.At && rest[j].Nth > d.Nth {
				rest[j].Nth--
				moved = true
			}
		}
		if moved {
			s.try(rest)
		}
	}
}

// lowerValues lowers each decision as far as possible.
func (s *shrinker) lowerValues() {
	for i := len(s.best) - 1; i >= 0; i = min(i, len(s.best)) - 1 {
		s.lower(i, func(d *choice.Decision) *int { return &d.Value }, 1)
	}
}

// lowerNumbers makes faults and scheduling decisions happen sooner.
func (s *shrinker) lowerNumbers() {
	for i := len(s.best) - 1; i >= 0; i = min(i, len(s.best)) - 1 {
		s.lower(i, func(d *choice.Decision) *int { return &d.Nth }, 0)
	}
}

const few = 20

// lower looks for the lowest value of a decision with which the run still fails. It tries
// few values one by one, because they may stand for unrelated things, and many values by
// bisection.
func (s *shrinker) lower(i int, of func(*choice.Decision) *int, least int) {
	high := *of(&s.best[i])
	for v := least; v < high && high <= few; v++ {
		candidate := slices.Clone(s.best)
		*of(&candidate[i]) = v
		if s.try(candidate) {
			return
		}
	}
	for low := least; low < high && high > few; {
		n := len(s.best)
		candidate := slices.Clone(s.best)
		middle := low + (high-low)/2
		*of(&candidate[i]) = middle
		if !s.try(candidate) {
			low = middle + 1
			continue
		}
		high = middle
		if len(s.best) != n {
			return // Another pass continues; i refers to another decision now.
		}
	}
}

// ShrinkBiased is Shrink for a run with a bias.
func ShrinkBiased(seed uint64, name string, runs int) (s Shrunk, ok bool, err error) {
	b, err := world.BiasOf(name)
	if err != nil {
		return s, false, err
	}
	c := choice.Seeded(seed)
	c.Bias = int(b)
	s, ok = shrink(c, runs)
	s.Seed = seed
	return s, ok, nil
}
