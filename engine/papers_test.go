package engine_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestPapers runs the example traces of the papers, one script for each, in default and
// in strict mode. A script has a comment that names paper and section, and says what
// differs from the paper and why; the program; the history against which it is replayed;
// and the output, which -update rewrites.
func TestPapers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/papers/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := parseScript(t, string(raw))
			got := s.head + "-- default --\n" + s.run(t, false) + "-- strict --\n" + s.run(t, true)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(raw) {
				t.Errorf("%s: run with -update if this is right; got\n%s", file, got)
			}
		})
	}
}

type script struct {
	head    string // everything up to the output
	program []string
	history []history.Event
}

func parseScript(t *testing.T, raw string) script {
	t.Helper()
	var s script
	head, _, _ := strings.Cut(raw, "-- default --\n")
	s.head = head
	_, rest, ok := strings.Cut(head, "-- program --\n")
	program, events, ok2 := strings.Cut(rest, "-- history --\n")
	if !ok || !ok2 {
		t.Fatal("a script has the sections program and history")
	}
	s.program = lines(program)
	for _, line := range lines(events) {
		s.history = append(s.history, parseEvent(t, line))
	}
	return s
}

func lines(text string) []string {
	var ls []string
	for _, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			ls = append(ls, l)
		}
	}
	return ls
}

// parseEvent reads "ID Kind arguments…".
func parseEvent(t *testing.T, line string) history.Event {
	t.Helper()
	f := strings.Fields(line)
	id, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil || len(f) < 2 {
		t.Fatalf("history line %q: want an event id and a kind", line)
	}
	arg := func(i int) string {
		if 2+i < len(f) {
			return f[2+i]
		}
		return ""
	}
	source := func() int64 { n, _ := strconv.ParseInt(arg(0), 10, 64); return n }
	e := history.Event{EventID: id}
	switch f[1] {
	case "OrchestrationStarted":
		e.Kind, e.Name = history.OrchestrationStarted, "Test"
	case "ActivityScheduled":
		e.Kind, e.Name, e.Payload = history.ActivityScheduled, arg(0), []byte(arg(1))
	case "TimerCreated":
		d, err := time.ParseDuration(arg(0))
		if err != nil {
			t.Fatal(err)
		}
		e.Kind, e.DurationMS = history.TimerCreated, d.Milliseconds()
	case "ExternalSubscribed":
		e.Kind, e.Name = history.ExternalSubscribed, arg(0)
	case "SubOrchestrationScheduled":
		e.Kind, e.Name, e.Payload = history.SubOrchestrationScheduled, arg(0), []byte(arg(1))
	case "SystemCall":
		e.Kind, e.Op, e.Payload = history.SystemCall, arg(0), []byte(arg(1))
	case "ActivityCompleted":
		e.Kind, e.SourceEventID, e.Payload = history.ActivityCompleted, source(), []byte(arg(1))
	case "ActivityFailed":
		e.Kind, e.SourceEventID, e.Failure = history.ActivityFailed, source(), &history.Failure{Kind: history.FailureApplication, Message: arg(1)}
	case "SubOrchestrationCompleted":
		e.Kind, e.SourceEventID, e.Payload = history.SubOrchestrationCompleted, source(), []byte(arg(1))
	case "TimerFired":
		e.Kind, e.SourceEventID = history.TimerFired, source()
	case "ExternalEvent":
		e.Kind, e.Name, e.Payload = history.ExternalEvent, arg(0), []byte(arg(1))
	case "OrchestrationCompleted":
		e.Kind, e.Payload = history.OrchestrationCompleted, []byte(arg(0))
	default:
		t.Fatalf("history line %q: unknown kind", line)
	}
	return e
}

// run replays the history against the program and writes what the program saw and how it
// ended.
func (s script) run(t *testing.T, strict bool) string {
	t.Helper()
	var seen []string
	code := func(c *engine.Context, _ []byte) ([]byte, error) {
		seen = nil
		return s.interpret(c, func(format string, args ...any) { seen = append(seen, fmt.Sprintf(format, args...)) })
	}
	reg, err := engine.NewRegistry(engine.Orchestration{Name: "Test", Strict: strict, Func: code})
	if err != nil {
		t.Fatal(err)
	}
	x := engine.New(engine.Config{Instance: "i", ExecutionID: 1, Registry: reg})
	defer x.Close()
	if err := x.Feed(s.history, false); err != nil {
		var corrupt *engine.CorruptionError
		if !errors.As(err, &corrupt) {
			t.Fatal(err)
		}
		return fmt.Sprintf("corrupt at event %d: %s\n", corrupt.EventID, corrupt.Reason)
	}
	turn, err := x.Run(engine.Input{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range turn.Events {
		seen = append(seen, "new event: "+brief(&turn.Events[i]))
	}
	var nd *engine.NondeterminismError
	switch {
	case turn.Stuck != nil && errors.As(turn.Stuck, &nd):
		seen = append(seen, fmt.Sprintf("nondeterminism at event %d (rule %d): history has %s, the code %s", nd.EventID, nd.Rule, nd.Recorded, nd.Attempted))
	case turn.Stuck != nil:
		seen = append(seen, fmt.Sprintf("stuck: %s", turn.Stuck.Message))
	case turn.State == engine.Ended:
		seen = append(seen, "ended")
	default:
		seen = append(seen, "waiting")
	}
	return strings.Join(seen, "\n") + "\n"
}

// interpret runs the statements of a program:
//
//	NAME = activity ACTIVITY INPUT | timer DURATION | event NAME | child NAME INPUT
//	await NAME | join NAME… | select NAME… | guid | now | return TEXT
func (s script) interpret(c *engine.Context, see func(string, ...any)) ([]byte, error) {
	futures := map[string]*engine.Future{}
	named := func(names []string) []*engine.Future {
		var fs []*engine.Future
		for _, n := range names {
			fs = append(fs, futures[n])
		}
		return fs
	}
	for _, line := range s.program {
		f := strings.Fields(line)
		if len(f) > 2 && f[1] == "=" {
			switch f[2] {
			case "activity":
				futures[f[0]] = c.Activity(engine.ActivityCall{Name: f[3], Input: []byte(strings.Join(f[4:], " "))})
			case "timer":
				d, err := time.ParseDuration(f[3])
				if err != nil {
					return nil, err
				}
				futures[f[0]] = c.Timer(d)
			case "event":
				futures[f[0]] = c.ExternalEvent(f[3])
			case "child":
				futures[f[0]] = c.Child(engine.ChildCall{Name: f[3], Input: []byte(strings.Join(f[4:], " "))})
			}
			continue
		}
		switch f[0] {
		case "await":
			v, err := c.Await(futures[f[1]])
			if err != nil {
				see("await %s: error: %v", f[1], err)
				continue
			}
			see("await %s: %s", f[1], v)
		case "join":
			vs, err := c.Join(named(f[1:])...)
			see("join: %s %v", vs, err)
		case "select":
			i, err := c.Select(false, named(f[1:])...)
			if err != nil {
				return nil, err
			}
			see("select: %s", f[1:][i])
		case "guid":
			id, err := c.GUID()
			see("guid: %s %v", id, err)
		case "now":
			at, err := c.Now()
			see("now: %d %v", at.UnixMilli(), err)
		case "return":
			return []byte(f[1]), nil
		}
	}
	return nil, nil
}
