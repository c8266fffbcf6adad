package turnstiletest

import "github.com/turnstile-go/turnstile"

// Deploy replaces the application, and some options, as a deployment does: stored state and pending
// messages stay, and the next message is handled by cold processes. Only the options [WithCodecs],
// [WithSettings] and [WithLogger] have an effect. Mocks stay too.
//
//	env.RunUntil(turnstiletest.TimerCreated())
//	env.Deploy(newer)                              // does a running instance continue?
//	env.Deploy(app, turnstiletest.WithCodecs(rotated)) // and under another key?
//
// An attempt, or a turn, that waits for virtual time continues with the code that started it.
func (e *Env) Deploy(app *turnstile.App, options ...Option) {
	e.t.Helper()
	e.checkApp(app)
	opts := e.opts
	for _, o := range options {
		o.apply(&opts)
	}
	e.app, e.again = app, nil // Ended instances ran the previous code.
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
