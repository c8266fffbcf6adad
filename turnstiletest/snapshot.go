package turnstiletest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// snapshot is the outcome of a run.
type snapshot struct {
	// waited is true if an attempt has waited for a permit. A crash may change which attempt gets
	// the next permit, and so the order of completions.
	waited bool
	// outcomes has one line for each instance.
	outcomes  []string
	histories []recordedHistory
}

// recordedHistory is an execution with its events as lines.
type recordedHistory struct {
	instance  string
	execution int64
	lines     []string
}

// snapshot returns the current state of all instances.
func (e *Env) snapshot() snapshot {
	e.t.Helper()
	s := snapshot{waited: e.waited}
	records := e.records("")
	slices.SortFunc(records, func(a, b store.Record) int { return strings.Compare(a.Instance, b.Instance) })
	for i := range records {
		r := &records[i]
		s.outcomes = append(s.outcomes, outcome(r))
		for n := range r.Executions() {
			s.histories = append(s.histories, recordedHistory{r.Instance, n, lines(e.history(r.Instance, n))})
		}
	}
	return s
}

// outcome returns a record as one line.
func outcome(r *store.Record) string {
	line := fmt.Sprintf("instance %q (%s) is %s", r.Instance, strings.TrimSpace(r.Name+" "+r.Version), r.Status)
	if r.Codec != "" {
		line += ", its payloads encoded by " + r.Codec
	} else if len(r.Output) > 0 {
		line += ", output " + string(r.Output)
	}
	if f := r.Failure; f != nil {
		line += fmt.Sprintf(", %s: %s", f.Kind, f.Message)
	}
	if r.Codec == "" {
		// Without the numbers, which a crash may change.
		states, _ := history.DecodeStates(r.States)
		for _, s := range states {
			line += fmt.Sprintf(", state %s: %s", s.Name, s.Value)
		}
	}
	if len(r.SearchAttributes) > 0 {
		line += ", search attributes " + r.SearchAttributes.String()
	}
	if s := r.Suspension; s != nil {
		line += fmt.Sprintf(", suspended since event %d: %s", s.EventID, s.Reason)
	}
	if p := r.Problem; p != nil {
		line += fmt.Sprintf(", %s: %s", p.Kind, p.Message)
	}
	return line
}

// lines returns events as lines, without values that differ from run to run: the times at which
// they were recorded, secrets and tokens, the ids of senders, stacks.
func lines(events History) []string {
	out := make([]string, len(events))
	for i := range events {
		out[i] = line(&events[i])
	}
	return out
}

func line(e *history.Event) string {
	parts := []string{fmt.Sprintf("%3d %s", e.EventID, word(e))}
	if e.Kind == history.OrchestrationStarted {
		parts = append(parts, strings.TrimSpace(e.Name+" "+e.Version))
	}
	if e.Instance != "" && e.Op != history.OpCancelInstance {
		parts = append(parts, "instance "+e.Instance)
	}
	if e.Inline {
		parts = append(parts, "inline")
	}
	if e.Forced != "" {
		parts = append(parts, "imposed: "+e.Forced)
	}
	if e.Reason != "" {
		parts = append(parts, "reason: "+e.Reason)
	}
	if f := e.Failure; f != nil {
		parts = append(parts, fmt.Sprintf("attempt %d: %s", f.Attempt, f.Message))
	}
	switch {
	case e.Codec != "":
		parts = append(parts, "encoded by "+e.Codec)
	case len(e.Payload) > 0 && e.Op != history.OpNow:
		parts = append(parts, string(e.Payload))
	}
	return strings.Join(parts, "  ")
}

// difference describes the first difference; empty if there is none.
func (s *snapshot) difference(other *snapshot, outcomeOnly bool) string {
	if !slices.Equal(s.outcomes, other.outcomes) {
		return "outcomes:\n" + diff(s.outcomes, other.outcomes)
	}
	if outcomeOnly || s.waited || other.waited {
		return ""
	}
	for i := range min(len(s.histories), len(other.histories)) {
		a, b := &s.histories[i], &other.histories[i]
		if a.instance != b.instance || a.execution != b.execution {
			return fmt.Sprintf("the first run has execution %d of %q here, this one execution %d of %q", a.execution, a.instance, b.execution, b.instance)
		}
		if !slices.Equal(a.lines, b.lines) {
			return fmt.Sprintf("history of instance %q execution %d:\n%s", a.instance, a.execution, diff(a.lines, b.lines))
		}
	}
	if len(s.histories) != len(other.histories) {
		return fmt.Sprintf("the first run has %d executions, this one %d", len(s.histories), len(other.histories))
	}
	return ""
}

// around is the number of equal lines that a diff shows before the first difference, and the number
// of lines of each side after it.
const around = 4

// diff shows two texts from a few lines before their first difference. "-" marks the first text,
// "+" the second.
func diff(a, b []string) string {
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	var out strings.Builder
	show := func(sign string, lines []string) {
		for i, l := range lines {
			if i == around && sign != " " {
				fmt.Fprintf(&out, "  %s … and %d more\n", sign, len(lines)-i)
				return
			}
			fmt.Fprintf(&out, "  %s %s\n", sign, l)
		}
	}
	show(" ", a[max(same-around, 0):same])
	show("-", a[same:])
	show("+", b[same:])
	return strings.TrimRight(out.String(), "\n")
}
