package turnstiletest

import "github.com/turnstile-go/turnstile"

// Deploy puts another application, or other options, in place of what runs, as
// a deployment does: what is stored and under way stays, the next message is
// handled by processes that begin cold. Of the options
// [WithCodecs], [WithSettings] and [WithLogger] count; the others stay as they are. Mocks stay too.
//
//	env.RunUntil(turnstiletest.TimerCreated())
//	env.Deploy(newer)                              // does a running instance go on?
//	env.Deploy(app, turnstiletest.WithCodecs(rotated)) // and under another key?
//
// An attempt, or a turn, that waits for virtual time goes on with the code that
// it began with.
func (e *Env) Deploy(app *turnstile.App, options ...Option) {
	e.t.Helper()
	e.checkApp(app)
	opts := e.opts
	for _, o := range options {
		o.apply(&opts)
	}
	e.app, e.again = app, nil // what has ended did so with the code before
	e.opts.codecs, e.opts.settings, e.opts.logger = opts.codecs, opts.settings, opts.logger
	if err := e.connect(); err != nil {
		e.t.Fatalf("turnstiletest: Deploy: %v", err)
	}
	e.restart()
}

func (e *Env) checkApp(app *turnstile.App) {
	e.t.Helper()
	if app == nil {
		e.t.Fatalf("turnstiletest: the application is nil: make one with turnstile.NewApp")
	}
	if err := app.Err(); err != nil {
		e.t.Fatalf("turnstiletest: the application cannot run: %v", err)
	}
}
