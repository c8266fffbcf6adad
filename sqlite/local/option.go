package local

import (
	"context"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
)

// Option is an option of [Run].
type Option interface{ apply(*options) }

type option func(*options)

func (f option) apply(o *options) { f(o) }

type options struct {
	onStart  func(context.Context, *client.Client) error
	embedded []embedded.Option
}

// OnStart calls f each time that the program starts, before any orchestration or
// activity runs: to start an instance to look at, by an id that is always the same. An error of
// f ends the program, so f returns nil for a *client.AlreadyExistsError and for client.ErrPurged.
func OnStart(f func(context.Context, *client.Client) error) Option {
	return option(func(o *options) { o.onStart = f })
}

// WithEmbedded gives options to the runtime, such as embedded.WithCodecs. Those that
// Run sets itself (database, console, observer, logger, dead letters) are set
// before, so that these win.
func WithEmbedded(opts ...embedded.Option) Option {
	return option(func(o *options) { o.embedded = append(o.embedded, opts...) })
}
