package platform

import (
	"context"
	"io"
	"log/slog"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/sharing"
	"github.com/turnstile-go/turnstile/internal/logattr"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Environment is what a handler takes from the process that it runs in. Its zero
// value is a process with the wall clock, random tokens and goroutines, and
// without an observer.
type Environment struct {
	// Clock; default [clock.Wall].
	Clock clock.Clock
	// Random; default crypto/rand.
	Random io.Reader
	// Go starts a goroutine; default the go statement. Each attempt has one.
	Go func(func())
	// Together runs a function so many times side by side, and returns when all
	// runs have come to their end; default: on goroutines that Go starts.
	Together func(n int, f func())
	// RequestID names the invocation, for the completions of the activities that ran
	// in it; default: it has no name.
	RequestID RequestID
	// Limits of work items; default wire.DefaultLimits.
	Limits wire.Limits
	// Observer; default host.NoObserver.
	Observer host.Observer
	// Logger; default discards. Orchestration code logs to it too.
	Logger *slog.Logger
}

// Complete fills in the defaults, and has every line of the log say what it is
// about.
func (e *Environment) Complete() {
	if e.Clock == nil {
		e.Clock = clock.Wall{}
	}
	if e.Go == nil {
		e.Go = func(f func()) { go f() }
	}
	if e.Together == nil {
		e.Together = sharing.OnGoroutines(e.Go)
	}
	if e.Observer == nil {
		e.Observer = host.NoObserver{}
	}
	if e.Logger == nil {
		e.Logger = slog.New(slog.DiscardHandler)
		return
	}
	e.Logger = slog.New(logattr.New(e.Logger.Handler(), logattr.OfSubject))
}

// RequestID returns what the surroundings call the invocation that ctx belongs
// to, as it can be looked up in logs; empty where it has no name. It is recorded
// with the completions of the activities that ran in it. One that no work item
// takes (see wire.Limits.ID) counts as empty.
type RequestID func(ctx context.Context) string

// Of returns the name of the invocation that ctx belongs to; empty where it has
// none that a work item takes.
func (f RequestID) Of(ctx context.Context) string {
	if f == nil {
		return ""
	}
	id := f(ctx)
	if what, _ := wire.BadCharacter(id); what != "" || len(id) > wire.DefaultLimits().ID || !utf8.ValidString(id) {
		return ""
	}
	return id
}
