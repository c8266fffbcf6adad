// Package stage says which part of the tests runs: by default a sample that ends
// soon, and no test that builds another program.
package stage

import (
	"os"
	"testing"
)

// Proving reports whether tests run at full length: TURNSTILE_PROVE is 1, as in `make prove`.
func Proving() bool { return os.Getenv("TURNSTILE_PROVE") == "1" }

// Cases returns how many cases a property test runs: few, or all of them when Proving.
func Cases(few, all int) int {
	if Proving() {
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
