// Package screen is what a person would see of a program, for tests that wait
// until something is shown.
package screen

import (
	"context"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds each wait. It is for a test that hangs, and never for a slow machine:
// it ends before go test's own limit of ten minutes, which would not print the screen.
const patience = 8 * time.Minute

// Screen keeps all that is written to it. Writing is safe for concurrent use;
// one goroutine waits.
type Screen struct {
	mu      sync.Mutex
	text    strings.Builder
	changed chan struct{}
	seen    int // how much of it WaitForNext has been through
}

// New returns an empty screen.
func New() *Screen { return &Screen{changed: make(chan struct{})} }

// Write implements io.Writer.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
	return s.text.Write(p)
}

// String returns all that has been written.
func (s *Screen) String() string {
	text, _ := s.Look()
	return text
}

// Look returns all that has been written, and a channel that is closed when more
// is.
func (s *Screen) Look() (text string, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String(), s.changed
}

// WaitFor returns when each of the texts has been shown, in whatever order.
func (s *Screen) WaitFor(t testing.TB, texts ...string) {
	t.Helper()
	for _, text := range texts {
		s.until(t, text, func(shown string) bool { return strings.Contains(shown, text) })
	}
}

// WaitForNext returns when the pattern has been shown after the previous match of WaitForNext, with
// the values of its groups.
func (s *Screen) WaitForNext(t testing.TB, pattern string) (groups []string) {
	t.Helper()
	expression := regexp.MustCompile(pattern)
	s.until(t, pattern, func(shown string) bool {
		at := expression.FindStringSubmatchIndex(shown[s.seen:])
		if at == nil {
			return false
		}
		groups = expression.FindStringSubmatch(shown[s.seen:])
		s.seen += at[1]
		return true
	})
	return groups
}

func (s *Screen) until(t testing.TB, what string, is func(shown string) bool) {
	t.Helper()
	limit, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	for {
		shown, changed := s.Look()
		if is(shown) {
			return
		}
		select {
		case <-changed:
		case <-limit.Done():
			t.Fatalf("it does not show %q:\n%s", what, shown)
		}
	}
}
