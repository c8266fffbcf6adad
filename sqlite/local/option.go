package local

import (
	"context"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
)

// Option is an option of Run.
type Option func(*options)

type options struct {
	begin    func(context.Context, *client.Client) error
	embedded []embedded.Option
}

// Begin calls f each time that the program begins, before anything moves: to
// start an instance to look at, by an id that is always the same and with
// client.UseExisting. An error of f ends the program.
func Begin(f func(context.Context, *client.Client) error) Option {
	return func(o *options) { o.begin = f }
}

// Embedded gives options to the environment, such as embedded.Codecs. Those that
// Run sets itself (storage, console, observer, logger, dead letters) are set
// before, so that these win.
func Embedded(opts ...embedded.Option) Option {
	return func(o *options) { o.embedded = append(o.embedded, opts...) }
}
