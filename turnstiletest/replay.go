package turnstiletest

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/watchdog"
)

// Replay runs exported histories against the current code, to check that this build can continue
// the instances that they come from. pattern names the files, in the syntax of filepath.Match; it
// must match at least one. An export is the output of the command
//
//	turnstile history order-17 --export > testdata/order-17.json
//
// or of history.EncodeExport, of [Run.Export] with all executions of an instance, or of a
// [CrashTest] with all instances of a run. Keep one of each kind of instance that may still run
// when you change its code, and of each deployed version.
//
// Each file whose history the code does not follow fails the test, which continues with the next
// file. The message names the event, the recorded operation, the operation of the code, and the
// line of the code. A file also fails if its history is damaged, was written by a newer build, or
// belongs to an orchestration or version that is not registered. A history without an end is
// replayed as far as it goes. No activity runs.
//
// Replay cannot detect an operation that was added after the last recorded event, or changes to
// options, timeouts or implementations of activities.
func Replay(t T, app *turnstile.App, pattern string, options ...Option) {
	t.Helper()
	opts := defaults()
	for _, o := range options {
		o.apply(&opts)
	}
	if app == nil {
		t.Fatalf("turnstiletest: Replay: the application is nil: make one with turnstile.NewApp")
	}
	if err := app.Err(); err != nil {
		t.Fatalf("turnstiletest: Replay: the application cannot run: %v", err)
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatalf("turnstiletest: Replay: pattern %q: %v", pattern, err)
	}
	if len(files) == 0 {
		t.Fatalf("turnstiletest: Replay: no file matches %q: export histories with turnstile history INSTANCE --export, or correct the path", pattern)
	}
	for _, file := range files {
		if problem := replayFile(app, file, opts.codecs); problem != "" {
			t.Errorf("turnstiletest: Replay: %s: %s", file, problem)
		}
	}
	t.Logf("turnstiletest: Replay: files replayed: %d", len(files))
}

// replayFile returns the problem of a file; empty if there is none.
func replayFile(app *turnstile.App, file string, codecs *codec.Set) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	exports, err := decodeExports(data)
	switch {
	case errors.Is(err, history.ErrNewer):
		return fmt.Sprintf("%v: replay it with that build, or a newer one", err)
	case err != nil:
		return fmt.Sprintf("it is damaged, or not an export: %v", err)
	}
	unnamed := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	var problems []string
	for i := range exports {
		problem := replayExport(app, &exports[i], unnamed, codecs)
		if problem != "" && len(exports) > 1 {
			problem = fmt.Sprintf("instance %q execution %d: %s", exports[i].Instance, exports[i].ExecutionID, problem)
		}
		if problem != "" {
			problems = append(problems, problem)
		}
	}
	return strings.Join(problems, "\n")
}

// replayExport is replayFile for one execution. unnamed is the instance id of an export that does
// not contain one.
func replayExport(app *turnstile.App, x *history.Export, unnamed string, codecs *codec.Set) string {
	if len(x.Events) == 0 {
		return "it has no events"
	}
	instance, execution := cmp.Or(x.Instance, unnamed), x.ExecutionID
	if execution == 0 {
		execution = 1
		if s := x.Events[0].Start; s != nil && s.ExecutionID > 0 {
			execution = s.ExecutionID
		}
	}
	events, err := codecs.OpenEvents(instance, execution, x.Events)
	if err != nil {
		return fmt.Sprintf("%v: give Replay the codecs of the application with turnstiletest.WithCodecs", err)
	}
	turn, problem := replay(app, instance, execution, events, false, codecs != nil, watchdog.Limit)
	if problem == "" && len(turn.Events) > 0 && !open(x.Events) {
		problem = fmt.Sprintf("after its last event the code continues with %s", History(turn.Events))
	}
	return problem
}

// open reports whether the code may still schedule operations after the last event of a history,
// because that event was recorded without running the code.
func open(events History) bool {
	last := &events[len(events)-1]
	return last.Kind.Arrival()
}

// replay runs a history against an application. problem says why the code does not follow it. limit
// is how long, in real time, the code may make no progress. encoded is true if errors were recorded
// without payload text. Some errors are compared, so replay produces them in the same form; the
// message of the test may contain payloads.
func replay(app *turnstile.App, instance string, execution int64, events History, parked, encoded bool, limit time.Duration) (turn engine.Turn, problem string) {
	var left *engine.Blocked
	options := engine.Options{Guard: watchdog.Real(limit), OnBlocked: func(b engine.Blocked) { left = &b }}
	if encoded {
		options.Conceal = func(payload []byte) string { return string(payload) }
	}
	x := engine.New(engine.Config{Instance: instance, ExecutionID: execution, Registry: app.Orchestrations(), Options: options})
	defer func() {
		x.Close()
		if problem == "" && left != nil {
			problem = "a deferred function blocks while the orchestration is unloaded:\n" + strings.TrimSpace(left.Stack)
		}
	}()
	runnable := engine.Runnable(events)
	if err := x.Feed(runnable, parked && len(runnable) == len(events)); err != nil {
		return turn, err.Error()
	}
	turn, err := x.Run(engine.Input{NowMS: events[len(events)-1].AtMS})
	switch {
	case err != nil:
		return turn, err.Error()
	case turn.Stuck != nil:
		return turn, disagreement(turn.Stuck, events)
	}
	return turn, ""
}

// disagreement shows why the code cannot continue, next to the history.
func disagreement(stuck *engine.StuckError, events History) string {
	var b strings.Builder
	parted, ok := errors.AsType[*engine.NondeterminismError](stuck)
	if !ok {
		fmt.Fprintf(&b, "the code cannot follow the history at event %d (%s):\n%s", stuck.EventID, stuck.Kind, stuck.Message)
		if stuck.Stack != "" {
			fmt.Fprintf(&b, "\n%s", strings.TrimSpace(stuck.Stack))
		}
		return b.String()
	}
	fmt.Fprintf(&b, "the code does not do what the history of instance %q execution %d says, at event %d\n", parted.Instance, parted.ExecutionID, parted.EventID)
	at := min(int(parted.EventID), len(events))
	for i := max(at-around, 0); i < min(at+2, len(events)); i++ {
		sign := " "
		if int64(i+1) == parted.EventID {
			sign = ">"
		}
		fmt.Fprintf(&b, "  %s %s\n", sign, line(&events[i]))
	}
	fmt.Fprintf(&b, "    history has   %s\n    the code did  %s", parted.Recorded, parted.Attempted)
	if parted.Location != "" {
		fmt.Fprintf(&b, "\n    at            %s", parted.Location)
	}
	return b.String()
}

// replays checks that a stored execution replays without new events. It returns the problem.
func (e *Env) replays(instance string, execution int64) string {
	turns, err := e.store.Read(e.ctx, instance, execution, 1)
	if err != nil || len(turns) == 0 {
		return fmt.Sprintf("instance %q execution %d cannot be read: %v", instance, execution, err)
	}
	var events History
	for i := range turns {
		events = append(events, turns[i].Events...)
	}
	opened, err := e.opts.codecs.OpenEvents(instance, execution, events)
	if err != nil {
		return err.Error()
	}
	parked := turns[len(turns)-1].Parked
	turn, problem := replay(e.app, instance, execution, opened, parked, e.opts.codecs != nil, watchdog.Limit)
	switch {
	case parked:
		// Events that were recorded without running the code are not checked.
		return ""
	case problem == "" && len(turn.Events) > 0:
		return fmt.Sprintf("instance %q execution %d continues with %s", instance, execution, History(turn.Events))
	}
	return problem
}

// executionKey identifies an execution.
type executionKey struct {
	instance  string
	execution int64
}

// replayEnded replays each execution of an ended instance once, because no later turn replays its
// last turn.
func (e *Env) replayEnded(call, instance string) {
	e.t.Helper()
	r, err := e.store.Describe(e.ctx, instance)
	if e.again == nil || e.opts.warm || e.opts.allowStuck || err != nil || !r.Status.Terminal() || r.Purged {
		return
	}
	for n := range r.Executions() {
		key := executionKey{instance, n}
		if e.again[key] {
			continue
		}
		e.again[key] = true
		if problem := e.replays(instance, n); problem != "" {
			e.t.Errorf("turnstiletest: %s: instance %q has ended, but its code does not repeat the same operations on replay (see turnstiletest.KeepWarm): %s", call, instance, problem)
		}
	}
}
