package search

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
)

// Exploration is the result of searching a scope.
type Exploration struct {
	Scope string
	// States counts the distinct states, including final ones, and Ends only the final
	// ones; Schedules counts the runs that were started, Longest is the most steps of a
	// run.
	States, Ends, Schedules, Longest int
	// All is set if every reachable state was visited, and every possible next action was taken in
	// each.
	All  bool
	Took time.Duration
	// Failure is the run that broke an invariant; nil if none did.
	Failure *world.Result
}

// String formats the exploration in a line.
func (e *Exploration) String() string {
	all := "all were visited"
	if !e.All {
		all = "NOT all were visited"
	}
	return fmt.Sprintf("%-20s %7d states, %d of them ends, %7d schedules of up to %d steps, %.1f s; %s",
		e.Scope, e.States, e.Ends, e.Schedules, e.Longest, e.Took.Seconds(), all)
}

// longestWalk limits the steps of a run: a longer run fails.
const longestWalk = 500

// Explore makes every run of the scope, until one breaks an invariant. It gives up after
// this many schedules; 0 means no limit.
//
// It searches depth first. A world cannot be copied, so each run starts from the beginning,
// with the choices of the previous run except for the last one that has an alternative
// left. A run ends when it reaches a state that was visited before.
func (s *Scope) Explore(schedules int) Exploration {
	return s.explore(schedules, true, func(*world.Walk) {})
}

// branch is a step of the path to the current position of the search: the number of the
// action, and how many there were.
type branch struct{ taken, of int }

// explore is Explore; without reduction, every run continues to its end. ended is called at
// each end.
func (s *Scope) explore(schedules int, reduced bool, ended func(*world.Walk)) Exploration {
	startedAt := time.Now()
	e := Exploration{Scope: s.Name}
	visited := map[world.Fingerprint]bool{}
	var path []branch
	for e.Schedules = 1; ; e.Schedules++ {
		k := s.newWalk(false)
		path = follow(k, path, func() bool {
			f := k.Fingerprint()
			known := visited[f]
			if !known {
				visited[f] = true
				e.States++
			}
			return !known || !reduced
		})
		e.Longest = max(e.Longest, len(path))
		failed := len(k.W.Violations) > 0
		if k.Ended {
			e.Ends++
			ended(k)
		}
		k.W.Close()
		if failed {
			r := s.Repeat(choicesText(path))
			e.Failure = &r
			break
		}
		for len(path) > 0 && path[len(path)-1].taken+1 == path[len(path)-1].of {
			path = path[:len(path)-1]
		}
		if e.All = len(path) == 0; e.All || e.Schedules == schedules {
			break
		}
		path[len(path)-1].taken++
	}
	e.Took = time.Since(startedAt)
	return e
}

// follow follows the path and continues from its end, taking the first action each time, as
// long as fresh returns true for the reached state. It returns the whole path.
func follow(k *world.Walk, path []branch, fresh func() bool) []branch {
	for depth := 0; ; {
		if depth >= len(path) && !fresh() {
			return path
		}
		all := k.Actions()
		if len(all) == 0 {
			if k.W.Redrive() > 0 {
				continue
			}
			k.Ended = true
			k.W.Watch.End()
			return path
		}
		switch {
		case depth == longestWalk:
			k.W.Violate("I-03", "no end after %d steps: %s", depth, k.W.LeftText())
			return path
		case depth == len(path):
			path = append(path, branch{0, len(all)})
		case path[depth].of != len(all) && path[depth].of > 0:
			panic(fmt.Sprintf("simulation: a walk can't be repeated: %d actions at step %d of %s", len(all), depth, choicesText(path)))
		case path[depth].taken >= len(all):
			k.W.Violate("choices", "there are %d actions at step %d", len(all), depth)
			return path
		}
		k.Take(all[path[depth].taken])
		depth++
		if len(k.W.Violations) > 0 {
			return path[:depth]
		}
	}
}

// choicesText writes a path as 0.2.1, without trailing zeros.
func choicesText(path []branch) string {
	var all []string
	for _, b := range path {
		all = append(all, strconv.Itoa(b.taken))
	}
	text := strings.Join(all, ".")
	for strings.HasSuffix(text, ".0") {
		text = strings.TrimSuffix(text, ".0")
	}
	return text
}

func parsePath(text string) ([]branch, error) {
	var path []branch
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == '.' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("choices are numbers with dots between them, such as 0.2.1, not %q", text)
		}
		path = append(path, branch{taken: n})
	}
	return path, nil
}

// Repeat makes the run of these choices, with its story. After their end, and where one is
// missing, the simplest action is taken.
func (s *Scope) Repeat(choices string) world.Result {
	path, err := parsePath(choices)
	k := s.newWalk(true)
	defer k.W.Close()
	if err != nil {
		k.W.Violate("choices", "%v", err)
	} else {
		follow(k, path, func() bool { return true })
	}
	r := k.W.Result()
	r.Scope, r.Choices = s.Name, choices
	return r
}

func (s *Scope) newWalk(tracing bool) *world.Walk {
	s.StartsBroken = s.bad != nil
	return world.NewWalk(&s.Limits, s, tracing, simulation.Watched, s.sabotage)
}
