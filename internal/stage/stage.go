// Package stage says which part of the tests runs: by default a sample that ends
// soon, and no test that builds another program.
package stage

import (
	"os"
	"testing"
)

// Cases returns how many cases a property test runs: few, or all of them if
// TURNSTILE_PROVE is 1, as in `make prove`.
func Cases(few, all int) int {
	if os.Getenv("TURNSTILE_PROVE") == "1" {
		return all
	}
	return few
}

// Builds skips a test that builds or supervises other programs, unless
// TURNSTILE_BUILDS is 1: such tests are a stage of `make test` of their own.
func Builds(t testing.TB) {
	t.Helper()
	if os.Getenv("TURNSTILE_BUILDS") != "1" {
		t.Skip("NOT RUN: it builds or supervises other programs, which TURNSTILE_BUILDS=1 runs; `make test` sets it")
	}
}
