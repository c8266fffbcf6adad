package views_test

import (
	"testing"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
)

func TestCountsSayWhatWasNotCountedToItsEnd(t *testing.T) {
	t.Parallel()
	statuses := []client.Status{client.StatusRunning, client.StatusFailed}
	more := map[client.Status]bool{client.StatusFailed: true}
	all := piped(func(s *term.Screen) {
		views.Counts(s, statuses, map[client.Status]int{client.StatusFailed: 1000}, more, true)
	})
	if want := "running\t0\nfailed\t1000+\ntotal\t1000+\n"; all != want {
		t.Errorf("of all statuses it is %q, want %q", all, want)
	}
	one := piped(func(s *term.Screen) {
		views.Counts(s, statuses, map[client.Status]int{client.StatusFailed: 7}, nil, false)
	})
	if want := "failed\t7\n"; one != want {
		t.Errorf("of one status it is %q, want %q", one, want)
	}
}
