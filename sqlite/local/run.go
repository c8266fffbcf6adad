package local

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/sqlite"
	"github.com/turnstile-go/turnstile/sqlite/internal/supervised"
)

// Run runs the application until the process is asked to end (Ctrl-C, SIGTERM, or its terminal is
// closed), and never returns. Instances continue from where they were when the program last ended for
// any reason. If the code no longer agrees with the history of an instance, the instance is stuck,
// with the reason, until the code agrees again.
//
// The program has three flags: -addr, the address of the console (embedded.WithConsole), -data, the
// directory of the database (.turnstile), and -reset, to start with an empty database.
//
// The exit status is 0 if it was asked to end, 1 if the application cannot run (App.Err, an error of
// OnStart), 2 for an invalid command line, and 3 if the database or the address is not available.
func Run(app *turnstile.App, opts ...Option) {
	p := process{args: os.Args, getenv: os.Getenv, in: os.Stdin, out: os.Stdout, err: os.Stderr}
	os.Exit(p.run(context.Background(), app, opts))
}

// Exit statuses in addition to those of package supervised.
const (
	exitDone  = 0
	exitUsage = 2
)

// process has everything outside the program that it uses, so that tests can replace it.
type process struct {
	args     []string
	getenv   func(string) string
	in       io.Reader
	out, err io.Writer
}

func (p *process) run(ctx context.Context, app *turnstile.App, opts []Option) int {
	f, err := parse(p.args, p.getenv, p.err)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		fmt.Fprintln(p.err, "local:", err)
		return exitUsage
	}
	if status, asked := p.replayIfAsked(app); asked {
		return status
	}
	ctx, stop := p.untilAsked(ctx, f.supervised)
	defer stop()
	var o options
	for _, option := range opts {
		option.apply(&o)
	}
	status, err := p.serve(ctx, app, f, &o)
	if err != nil {
		fmt.Fprintln(p.err, "local:", err)
	}
	return status
}

// runnable returns why the application cannot run, nil if it can.
func runnable(app *turnstile.App) error {
	if app != nil && app.Err() == nil {
		return nil
	}
	_, err := embedded.New(app) // It returns the error to report.
	return err
}

// untilAsked returns a context that ends when the program is asked to end.
func (p *process) untilAsked(ctx context.Context, isSupervised bool) (context.Context, context.CancelFunc) {
	if !isSupervised {
		signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
		if !signal.Ignored(syscall.SIGHUP) { // nohup makes the process ignore it.
			signals = append(signals, syscall.SIGHUP)
		}
		ctx, stop := signal.NotifyContext(ctx, signals...)
		// A second signal ends it immediately.
		context.AfterFunc(ctx, stop)
		return ctx, stop
	}
	// Ctrl-C and closing the terminal signal all processes of the terminal. The process that started
	// this one decides when it ends; if that process ends, this one ends too.
	signal.Ignore(os.Interrupt, syscall.SIGHUP)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	go func() {
		_, _ = io.Copy(io.Discard, p.in)
		stop()
	}()
	return ctx, stop
}

// serve runs the application, and returns the exit status and, if it is not 0, the reason.
func (p *process) serve(ctx context.Context, app *turnstile.App, f flags, o *options) (status int, err error) {
	if err := runnable(app); err != nil {
		return supervised.Failed, err
	}
	if f.reset {
		if err := sqlite.Remove(f.data); err != nil {
			return supervised.Refused, err
		}
	}
	db, err := sqlite.Open(f.data)
	if err != nil {
		return supervised.Refused, err
	}
	defer func() {
		if closed := db.Close(); err == nil && closed != nil {
			status, err = supervised.Failed, closed
		}
	}()
	settings := []embedded.Option{embedded.WithLiveTrace(p.out), embedded.WithDatabase(db), embedded.WithConsole(f.addr)}
	env, err := embedded.New(app, append(settings, o.embedded...)...)
	if err != nil {
		return supervised.Refused, err
	}
	fmt.Fprintf(p.out, "console   %s\ndatabase  %s\n", env.ConsoleURL(), shorter(db.Path()))
	forget, err := tell(env.ConsoleURL(), filepath.Join(f.data, supervised.ConsoleFile), p.getenv(supervised.Console))
	if err != nil {
		return supervised.Refused, errors.Join(err, end(env))
	}
	defer forget()
	if o.onStart != nil {
		if err := o.onStart(ctx, env.Client()); err != nil {
			return supervised.Failed, errors.Join(fmt.Errorf("the function of OnStart failed: %w", err), end(env))
		}
	}
	found, err := check(ctx, app, env.Client())
	if err != nil {
		return supervised.Failed, errors.Join(err, end(env))
	}
	fmt.Fprintf(p.out, "instances %s\n", found)
	for _, instance := range slices.Concat(found.misfits, found.damaged) {
		if err := env.Client().Wake(ctx, instance); err != nil {
			fmt.Fprintln(p.err, "local:", err)
		}
	}
	if err := env.Run(ctx); err != nil {
		return supervised.Failed, err
	}
	return exitDone, nil
}

// end releases the resources of a runtime that will not run.
func end(env *embedded.Runtime) error {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	return env.Run(ctx)
}

// shorter returns a path relative to the working directory, if it is below it.
func shorter(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if below, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(below) {
		return below
	}
	return path
}
