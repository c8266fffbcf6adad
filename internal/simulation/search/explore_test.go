package search_test

import (
	"testing"

	"github.com/turnstile-go/turnstile/internal/simulation/search"
)

// I-01 to I-08, in every run of each scope.
func TestEveryRunOfTheScopes(t *testing.T) {
	t.Parallel()
	for _, s := range search.Scopes() {
		if s.Large {
			continue // The soak command searches it.
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			e := s.Explore(0)
			t.Log(e.String())
			if e.Failure != nil {
				t.Errorf("%s\n%s\nrepeat it with: go run ./internal/simulation/cmd/soak -scope %s -choices %s", e.Failure.Story, e.Failure.Text(), s.Name, e.Failure.Choices)
			} else if !e.All {
				t.Errorf("the search of %s was cut", s.Name)
			}
		})
	}
}
