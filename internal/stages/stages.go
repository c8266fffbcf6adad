// Package stages says which tests run: test.sh runs them in stages, and a plain
// go test runs the quick ones.
package stages

import (
	"os"
	"testing"
)

// Builds skips a test that builds or starts other programs, unless
// TURNSTILE_BUILDS is set. ./test.sh go runs those tests after the others,
// because they use every processor themselves.
func Builds(t *testing.T) {
	t.Helper()
	if os.Getenv("TURNSTILE_BUILDS") == "" {
		t.Skip("NOT RUN: it builds or starts other programs; TURNSTILE_BUILDS=1 runs it, as make test-go does")
	}
}

// Proving reports whether TURNSTILE_PROVE is set, as make prove does. A test
// then tries all cases of which it otherwise tries a sample.
func Proving() bool { return os.Getenv("TURNSTILE_PROVE") != "" }
