package local

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/sqlite/internal/supervised"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// ReplayIfAsked lets `turnstile replay` check histories against a program that does not call [Run].
// Call it first in main, before the database is opened:
//
//	app := turnstile.NewApp(…)
//	local.ReplayIfAsked(app)
//	db, err := sqlite.Open("data")
//
// If `turnstile replay` started the process (TURNSTILE_REPLAY is set), it replays the histories, prints
// disagreements, and ends the process: with status 0 if all agree, 1 if the application cannot run
// (App.Err), 4 if one does not agree. Otherwise it does nothing.
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

// replay replays the histories of a file with the application, for `turnstile replay`. It prints
// disagreements and returns the exit status.
func replay(app *turnstile.App, file string, out io.Writer) (status int) {
	r := &report{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		turnstiletest.Replay(r, app, file)
	}()
	<-done
	if len(r.problems) == 0 {
		tellPlaces(app, file, out)
		return exitDone
	}
	fmt.Fprintln(out, strings.Join(r.problems, "\n"))
	return supervised.Disagrees
}

// waits returns where the code of an execution waits, in the format of the console's API.
type waits struct {
	Instance    string   `json:"instance"`
	ExecutionID int64    `json:"execution_id"`
	EventID     int64    `json:"event_id"`
	Branches    []branch `json:"branches"`
}

type branch struct {
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Events   []int64 `json:"events,omitempty"`
	Branches int     `json:"branches,omitempty"`
}

// tellPlaces prints where the code waits in histories that it agrees with, one line per running
// execution.
func tellPlaces(app *turnstile.App, file string, out io.Writer) {
	var document struct{ Exports []json.RawMessage }
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &document) != nil {
		return // The caller requested only the check.
	}
	if document.Exports == nil {
		document.Exports = []json.RawMessage{data}
	}
	for _, raw := range document.Exports {
		x, err := history.DecodeExport(raw)
		if err != nil {
			continue
		}
		events := ran(&x)
		if len(events) == 0 || events[len(events)-1].Kind.Terminal() {
			continue
		}
		w := waits{Instance: x.Instance, ExecutionID: x.ExecutionID, EventID: events[len(events)-1].EventID}
		run := engine.New(engine.Config{Instance: x.Instance, ExecutionID: x.ExecutionID, Registry: app.Orchestrations()})
		if err := run.Feed(events, false); err == nil {
			if _, err := run.Run(engine.Input{NowMS: events[len(events)-1].AtMS}); err == nil {
				for _, p := range run.Places() {
					w.Branches = append(w.Branches, branch{File: p.File, Line: p.Line, Events: p.EventIDs, Branches: p.Branches})
				}
			}
		}
		run.Close()
		if line, err := json.Marshal(w); err == nil && len(w.Branches) > 0 {
			fmt.Fprintf(out, "%s%s\n", supervised.Waits, line)
		}
	}
}

// ran returns the events of a history that the code has processed. Events that were recorded since
// without running the code would run here for the first time.
func ran(x *history.Export) []history.Event {
	n := len(x.Events)
	for i := len(x.Turns) - 1; i >= 0 && x.Turns[i].Parked; i-- {
		n = 0
		if i > 0 {
			n = int(x.Turns[i-1].Last-x.Events[0].EventID) + 1
		}
	}
	if n < 0 || n > len(x.Events) {
		return nil // The history was shortened by hand.
	}
	return engine.Runnable(x.Events[:n])
}

// report is a turnstiletest.T that collects the problems.
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
