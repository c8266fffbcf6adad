package local

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/sqlite/internal/supervised"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// ReplayIfAsked lets `turnstile replay` check histories against a program that does
// not call [Run]. Call it first in main, before the database is opened:
//
//	app := turnstile.NewApp(…)
//	local.ReplayIfAsked(app)
//	db, err := sqlite.Open("data")
//
// If `turnstile replay` started the process (TURNSTILE_REPLAY is set), it replays
// the histories, prints what does not agree, and ends the process: with status 0
// if all agree, 1 if the application cannot run (App.Err), 4 if one does not agree.
// Otherwise it does nothing.
func ReplayIfAsked(app *turnstile.App) {
	p := process{getenv: os.Getenv, out: os.Stdout, err: os.Stderr}
	if status, asked := p.replayIfAsked(app); asked {
		os.Exit(status)
	}
}

func (p *process) replayIfAsked(app *turnstile.App) (status int, asked bool) {
	file := p.getenv(supervised.Replay)
	if file == "" {
		return 0, false
	}
	if err := runnable(app); err != nil {
		fmt.Fprintln(p.err, "local:", err)
		return supervised.Failed, true
	}
	return replay(app, file, p.out), true
}

// replay runs the histories of a file against the application, for `turnstile
// replay`, says what does not agree, and returns the exit status.
func replay(app *turnstile.App, file string, out io.Writer) (status int) {
	r := &report{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		turnstiletest.Replay(r, app, file)
	}()
	<-done
	if len(r.problems) == 0 {
		return exitDone
	}
	fmt.Fprintln(out, strings.Join(r.problems, "\n"))
	return supervised.Disagrees
}

// report is a turnstiletest.T that keeps what is wrong.
type report struct{ problems []string }

func (*report) Helper() {}

func (*report) Cleanup(func()) {}

func (*report) Logf(string, ...any) {}

func (r *report) Errorf(format string, args ...any) {
	text := strings.TrimPrefix(fmt.Sprintf(format, args...), "turnstiletest: Replay: ")
	r.problems = append(r.problems, text)
}

func (r *report) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}
