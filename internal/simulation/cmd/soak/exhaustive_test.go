package main

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/simulation/search"
)

func TestASearchReportsEveryScopeAndThatAllWasVisited(t *testing.T) {
	t.Parallel()
	scopes, err := scopesNamed("cancel+crash")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if !searchAll(&out, scopes, 2) {
		t.Error("it reports a failure")
	}
	for _, want := range []string{"cancel+crash ", "all were visited", "1 scopes in "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in:\n%s", want, out.String())
		}
	}
}

func TestScopesAreNamed(t *testing.T) {
	t.Parallel()
	if all, err := scopesNamed(""); err != nil || len(all) != len(search.Scopes()) {
		t.Errorf("%d scopes, %v", len(all), err)
	}
	if _, err := scopesNamed("none"); err == nil || !strings.Contains(err.Error(), `"race+crash"`) {
		t.Errorf("an unknown scope gives %v", err)
	}
}
