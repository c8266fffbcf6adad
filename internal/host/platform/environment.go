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

// Environment is what a handler uses of its process. The zero value uses the wall clock, random
// tokens and goroutines, and has no observer.
type Environment struct {
	// Clock; default [clock.Wall].
	Clock clock.Clock
	// Random; default crypto/rand.
	Random io.Reader
	// Go starts a goroutine; default the go statement. Each attempt has one.
	Go func(func())
	// Together runs a function n times concurrently and returns when all calls have returned. By
	// default it uses goroutines that Go starts.
	Together func(n int, f func())
	// RequestID returns the name of the invocation, for the completions of the activities that ran
	// in it; by default it has no name.
	RequestID RequestID
	// Limits of work items; default wire.DefaultLimits.
	Limits wire.Limits
	// Observer; default host.NoObserver.
	Observer host.Observer
	// Logger; default discards. Orchestration code logs to it too.
	Logger *slog.Logger
}

// Complete sets the defaults, and makes each log line name its instance, execution and event.
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

// RequestID returns the name that the environment gives the invocation of ctx, as it can be looked
// up in logs; empty if it has no name. The name is recorded with the completions of the activities
// that ran in the invocation. A name that a work item cannot hold (see wire.Limits.ID) counts as
// empty.
type RequestID func(ctx context.Context) string

// Of returns the name of the invocation of ctx; empty if it has none that a work item can hold.
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
