package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/search"
)

// scopesNamed returns the scope of that name, or all of them for "".
func scopesNamed(name string) ([]*search.Scope, error) {
	if name == "" {
		return search.Scopes(), nil
	}
	s, err := search.ScopeNamed(name)
	return []*search.Scope{s}, err
}

// searchAll makes every run of the scopes, this many in parallel, and reports whether none
// broke an invariant and all states were visited.
func searchAll(out io.Writer, scopes []*search.Scope, parallel int) bool {
	startedAt := time.Now()
	var mu sync.Mutex
	var all sync.WaitGroup
	good := true
	states, schedules, next := 0, 0, 0
	for range parallel {
		all.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(scopes) {
					return
				}
				s := scopes[i]
				e := s.Explore(0)
				mu.Lock()
				states += e.States
				schedules += e.Schedules
				good = good && e.All && e.Failure == nil
				fmt.Fprintf(out, "%s\n", &e)
				if e.Failure != nil {
					fmt.Fprintf(out, "%s\n%s\nrepeat it with: go run ./internal/simulation/cmd/soak -scope %s -choices %s\n", e.Failure.Story, e.Failure.Text(), s.Name, e.Failure.Choices)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	fmt.Fprintf(out, "%d scopes in %s: %d states, %d schedules\n", len(scopes), time.Since(startedAt).Round(time.Millisecond), states, schedules)
	return good
}
