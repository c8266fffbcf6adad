package views

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/cause"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Instance prints the state of an instance, and what it waits for. keyAdvice is the advice for payloads that
// cannot be decrypted; plan is what a redrive of a failed instance would do, nil if unknown.
func Instance(out io.Writer, now time.Time, d *client.Description, waiting *client.Pending, paused []api.PausedQueue, plan *client.Redriven, keyAdvice string) {
	t := plain.NewTable()
	t.Row("instance", printable.Line(d.Instance))
	t.Row("orchestration", printable.Line(strings.TrimSpace(d.Name+" "+d.Version)))
	t.Row("status", string(d.Status))
	execution := fmt.Sprint(d.ExecutionID)
	if d.Pruned > 0 {
		execution += fmt.Sprintf(" (kept from execution %d on; %d earlier executions were pruned)", d.FirstExecution, d.Pruned)
	}
	if d.Redriven > 0 {
		execution += fmt.Sprintf(", redriven from %d", d.Redriven)
	}
	t.Row("execution", execution)
	t.Row("started", plain.Moment(d.CreatedAt)+" ("+plain.Ago(now, d.CreatedAt)+")")
	t.Row("updated", plain.Moment(d.UpdatedAt)+" ("+plain.Ago(now, d.UpdatedAt)+")")
	if !d.EndedAt.IsZero() {
		t.Row("ended", fmt.Sprintf("%s (%s, after %s)", plain.Moment(d.EndedAt), plain.Ago(now, d.EndedAt), plain.Span(d.EndedAt.Sub(d.CreatedAt))))
	}
	if !d.LoopedAt.IsZero() {
		t.Row("looping", "slowed down "+plain.Moment(d.LoopedAt)+" ("+plain.Ago(now, d.LoopedAt)+") because it loops without waiting")
	}
	if d.StartID != "" {
		t.Row("start id", printable.Line(d.StartID))
	}
	if p := d.Parent; p != nil {
		t.Row("parent", fmt.Sprintf("%s, execution %d, event %d", printable.Line(p.Instance), p.ExecutionID, p.EventID))
	}
	if d.ForkOf != "" {
		t.Row("fork of", printable.Line(d.ForkOf))
	}
	if n := len(d.Forks); n > 0 {
		newest := ""
		if int64(n) < d.ForkCount {
			newest = fmt.Sprintf(" (the last %d of %d)", n, d.ForkCount)
		}
		t.Row("forks", printable.Line(strings.Join(d.Forks, ", "))+newest)
	}
	t.Print(out)
	if len(d.SearchAttributes) > 0 {
		fmt.Fprintln(out, "\nsearch attributes")
		attributes := plain.NewTable()
		for _, name := range slices.Sorted(maps.Keys(d.SearchAttributes)) {
			attributes.Row("  "+printable.Line(name), printable.Line(d.SearchAttributes[name].String()))
		}
		attributes.Print(out)
	}
	encoded(out, d, keyAdvice)
	for _, name := range slices.Sorted(maps.Keys(d.States)) {
		section(out, "state "+printable.Line(name), d.States[name].Value)
	}
	section(out, "output", d.Output)
	if f := d.Failure; f != nil {
		source := ""
		if f.Source != "" {
			source = " in " + printable.Line(f.Source)
		}
		if f.Code != "" {
			source += ", code " + printable.Line(f.Code)
		}
		if f.Attempt > 0 {
			source += fmt.Sprintf(", attempt %d", f.Attempt)
		}
		fmt.Fprintf(out, "\nfailure: %s%s\n", printable.Line(f.Kind), source)
		text(out, cause.Leaf(f.Message))
		handedOn(out, cause.Chain(f.Message))
		text(out, f.Stack)
		section(out, "details", f.Details)
	}
	if d.Status == client.StatusFailed {
		_, key := api.CauseOf(d)
		fmt.Fprintf(out, "\nwhat to do: %s\n", FailureAdvice(d.Instance, key, plan))
	}
	if a := d.Awaits; a != nil {
		since := time.UnixMilli(a.SinceMS)
		fmt.Fprintf(out, "\nthe instance %s, since %s (%s)\n", printable.Line(api.AwaitsText(a)), plain.Moment(since), plain.Ago(now, since))
		text(out, a.Message)
		fmt.Fprintf(out, "\nwhat to do: %s\n", api.AwaitsAdvice(a))
	}
	pending(out, now, waiting.Operations, paused)
	updates(out, now, waiting.Updates)
	untaken(out, now, waiting.UnconsumedEvents)
	if s := d.Suspension; s != nil {
		by := ""
		if s.Actor != "" {
			by = ", by " + printable.Line(s.Actor)
		}
		until := ""
		if s.UntilMS > 0 {
			until = ", until " + plain.Moment(time.UnixMilli(s.UntilMS))
		}
		what, next := "suspended", "`turnstile resume` continues it."
		if s.LimitKey != "" {
			what = "queued under the limit " + printable.Line(s.LimitKey)
			next = "`turnstile limit show KEY` shows which instances run and which wait, `turnstile limit first` moves the instance to the front, and `turnstile resume` starts it regardless of the limit."
		}
		fmt.Fprintf(out, "\n%s: since %s%s, event %d%s\n", what, plain.Moment(time.UnixMilli(s.SinceMS)), until, s.EventID, by)
		text(out, s.Reason)
		fmt.Fprintf(out, "\nwhat to do: %s\n", next)
	}
	if p := d.Problem; p != nil {
		at := ""
		if p.EventID > 0 {
			at = fmt.Sprintf(" at event %d", p.EventID)
		}
		if p.SinceMS > 0 {
			at += ", since " + plain.Moment(time.UnixMilli(p.SinceMS))
		}
		if p.Tries > 0 {
			at += ", " + plain.Plural(p.Tries, "try", "tries")
		}
		what := d.Status
		if d.Suspension != nil {
			what = client.StatusStuck
		}
		fmt.Fprintf(out, "\n%s: %s%s\n", what, printable.Line(p.Kind), at)
		text(out, p.Message)
		text(out, p.Stack)
		fmt.Fprintf(out, "\nwhat to do: %s\n", ProblemAdvice(p.Kind))
	}
}

// handedOn prints how the first failure was passed on to the instance.
func handedOn(out io.Writer, chain []cause.HandedOn) {
	if len(chain) > 0 {
		fmt.Fprintln(out, "\npropagated through")
	}
	for _, s := range chain {
		line := "activity " + s.Name
		if s.Instance != "" {
			line = fmt.Sprintf("child %s, instance %s", s.Name, s.Instance)
		}
		if s.Attempt > 0 {
			line += fmt.Sprintf(", attempt %d", s.Attempt)
		}
		if s.Kind != "" {
			line += " (" + s.Kind + ")"
		}
		if s.Says != "" {
			line += ": " + s.Says
		}
		text(out, line)
	}
}

// encoded returns why payloads of the record are not shown.
func encoded(out io.Writer, d *client.Description, keyAdvice string) {
	if d.DecodeError != nil {
		fmt.Fprintf(out, "\ncannot decode payloads\n")
		text(out, plain.Message(d.DecodeError))
		fmt.Fprintf(out, "\nto see the states, output and details: %s\n", keyAdvice)
	}
}

func section(out io.Writer, title string, payload []byte) {
	if len(payload) > 0 {
		fmt.Fprintf(out, "\n%s\n  %s\n", title, plain.Indented(payload, "  "))
	}
}

func text(out io.Writer, s string) {
	if s != "" {
		fmt.Fprintf(out, "  %s\n", plain.IndentLines(s, "  "))
	}
}
