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

// OnStart calls f each time that the program starts, before any orchestration or activity runs. It can
// start a sample instance, under an id that is always the same. An error of f ends the program, so f
// must return nil for a *client.AlreadyExistsError and for client.ErrPurged.
func OnStart(f func(context.Context, *client.Client) error) Option {
	return option(func(o *options) { o.onStart = f })
}

// WithEmbedded passes options to the runtime, such as embedded.WithCodecs. They take precedence over
// the options that Run sets itself (database, console, observer, logger, dead letters).
func WithEmbedded(opts ...embedded.Option) Option {
	return option(func(o *options) { o.embedded = append(o.embedded, opts...) })
}
