package search

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
)

// Exploration is what a search of a scope has found.
type Exploration struct {
	Scope string
	// States that differ, those at which a run ends included, and Ends, the
	// latter alone; Schedules are the runs that were begun, Longest the most
	// steps of one.
	States, Ends, Schedules, Longest int
	// All: every state that can be reached was visited, and every choice of
	// what happens next was made in each.
	All  bool
	Took time.Duration
	// Failure is the run that broke an invariant; nil if none did.
	Failure *world.Result
}

// String is the exploration in a line.
func (e *Exploration) String() string {
	all := "all were visited"
	if !e.All {
		all = "NOT all were visited"
	}
	return fmt.Sprintf("%-20s %7d states, %d of them ends, %7d schedules of up to %d steps, %.1f s; %s",
		e.Scope, e.States, e.Ends, e.Schedules, e.Longest, e.Took.Seconds(), all)
}

// longestWalk bounds the steps of a run: a longer run fails.
const longestWalk = 500

// Explore makes every run of the scope, up to the first that breaks an
// invariant. After so many schedules it gives up; 0 means no bound.
//
// It goes depth first. A world can't be copied, so each run is made from its
// beginning, the choices of the one before but for the last that has another
// left. A run ends where it comes to a state that was visited before.
func (s *Scope) Explore(schedules int) Exploration {
	return s.explore(schedules, true, func(*world.Walk) {})
}

// branch is a step of the path to where the search is: which of how many
// actions was taken.
type branch struct{ taken, of int }

// explore is Explore; without reduction, every run goes on to its end. ended is
// told of each end.
func (s *Scope) explore(schedules int, reduced bool, ended func(*world.Walk)) Exploration {
	began := time.Now()
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
	e.Took = time.Since(began)
	return e
}

// follow goes along the path and on from its end, taking the first action each
// time, as long as fresh says so of the state that it has come to. It returns
// the whole path.
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

// choicesText writes a path as 0.2.1, without zeros at its end.
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

// Repeat makes the run that these choices are of, with its story. Behind them,
// and where one is missing, the plainest happens.
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
