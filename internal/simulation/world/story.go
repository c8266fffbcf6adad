package world

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
)

// story describes a run: its program, what happened, what broke, and the histories.
func (w *World) story() string {
	var b strings.Builder
	fmt.Fprintf(&b, "RUN: %s, %s, %s\n", Plural(w.Faults.Total(), "fault"), Plural(w.started, "process"), w.Scenario.Size())
	for f, n := range w.Faults {
		if n > 0 {
			fmt.Fprintf(&b, "  %d × %s\n", n, fault.Kind(f))
		}
	}
	fmt.Fprintf(&b, "  at most %s of each role; faults stop at %s; settings:%s%s\n", Plural(w.slots, "process"), w.at(w.plan.until), settingsText(w.Settings), w.Encoding)
	fmt.Fprintf(&b, "\nPROGRAM\n%s", w.Scenario)
	fmt.Fprintf(&b, "\nWHAT HAPPENED (hours:minutes:seconds)\n%s", w.trace.String())
	if len(w.Violations) > 0 {
		b.WriteString("\nBROKEN\n")
		for _, v := range w.Violations {
			fmt.Fprintf(&b, "%s  %s: %s\n", w.at(v.At), v.Rule, v.Text)
		}
	}
	fmt.Fprintf(&b, "\nHISTORIES\n%s", w.histories())
	return b.String()
}

// withoutRoot removes the directory of the module from a text, so that a message that names
// a line of code is the same in every checkout.
func withoutRoot(text string) string {
	_, file, _, _ := runtime.Caller(0)
	return strings.ReplaceAll(text, strings.TrimSuffix(file, "internal/simulation/world/story.go"), "")
}

// Plural formats a count with its noun.
func Plural(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "s"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// settingsText lists the settings that are not the default.
func settingsText(s host.Settings) string { return fieldsText("", reflect.ValueOf(s)) }

func fieldsText(prefix string, v reflect.Value) (text string) {
	for i := range v.NumField() {
		switch f, name := v.Field(i), prefix+v.Type().Field(i).Name; {
		case f.Kind() == reflect.Struct:
			text += fieldsText(name+".", f)
		case !f.IsZero():
			text += fmt.Sprintf(" %s %v", name, f.Interface())
		}
	}
	return text
}

// histories returns everything that is stored, one table per execution.
func (w *World) histories() string {
	var b strings.Builder
	for _, instance := range w.Ledger.Instances() {
		if r, err := w.Describe(instance); err == nil {
			fmt.Fprintf(&b, "%s is %s", instance, r.Status)
			if len(r.Output) > 0 {
				fmt.Fprintf(&b, " with %s", r.Output)
			}
			if r.Failure != nil {
				fmt.Fprintf(&b, ", failure %s: %s", r.Failure.Kind, r.Failure.Message)
			}
			if r.Problem != nil {
				fmt.Fprintf(&b, ", problem %s: %s", r.Problem.Kind, r.Problem.Message)
			}
			if r.Stamp > 0 {
				fmt.Fprintf(&b, ", stamp %d", r.Stamp)
			}
			b.WriteByte('\n')
		}
		for n := int64(1); n <= w.Ledger.Last[instance]; n++ {
			w.historyTable(&b, instance, n)
		}
	}
	return b.String()
}

func (w *World) historyTable(b *strings.Builder, instance string, n int64) {
	x := w.Ledger.Executions[ledger.At(instance, n)]
	if x == nil {
		return
	}
	fmt.Fprintf(b, "  execution %d\n", n)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for i := range x.Events {
		e := &x.Events[i]
		completes, what := "", e.Name
		if e.SourceEventID > 0 {
			completes = fmt.Sprintf("of %d", e.SourceEventID)
		}
		if e.Instance != "" {
			what += " as " + e.Instance
		}
		if e.FireAtMS > 0 {
			what += " due " + w.at(time.UnixMilli(e.FireAtMS))
		}
		if len(e.Payload) > 0 {
			what += fmt.Sprintf(" %.60s", e.Payload)
		}
		if e.Failure != nil {
			what += fmt.Sprintf(" [%s: %.60s]", e.Failure.Kind, withoutRoot(e.Failure.Message))
		}
		fmt.Fprintf(t, "    %d\t%s\t%s\t%s\t%s\n", e.EventID, w.at(time.UnixMilli(e.AtMS)), e.Kind, completes, strings.TrimSpace(what))
	}
	t.Flush()
}
