package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/internal/recording"
)

func historyCommand() *command {
	return &command{
		name: "history", also: []string{"events", "log", "logs", "export"}, words: firstInstance(), operands: "INSTANCE", least: 1, most: 1,
		short: "show what happened in an instance, event by event",
		long: paragraph(
			"Shows the history of an execution, or of all. Each event has its id, the time since the",
			"previous event, its kind, the event that it completes, its name, the actor (\"by\", as the",
			"sender claims), and its payload, cut to the terminal; a pipe gets all of it. --export",
			"prints the document that `turnstile replay`, turnstiletest.Replay and the console read: with",
			"payloads, without secrets and tokens. Sealed payloads are opened with your keys; without a",
			"key, history shows codec and length."),
		examples: []string{
			"turnstile history order-17",
			"turnstile history order-17 --all",
			"turnstile history order-17 --width 20",
			"turnstile history order-17 --execution 1 --export > order-17.json",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var h showing
			h.which.declare(flags)
			flags.IntVar(&h.width, "width", 0, "cut payloads to `N` characters; default what fits the terminal, or all in a pipe")
			flags.BoolVar(&h.export, "export", false, "print the export document; with --all one that holds them all")
			return func(ctx context.Context, operands []string) error {
				if err := h.which.check(); err != nil {
					return err
				}
				switch {
				case h.width < 0:
					return usagef("--width %d: a number of characters, or 0", h.width)
				case h.export && c.json():
					return usagef("--export is a format of its own: leave out --output json, which prints the API's")
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				d, err := cl.Describe(ctx, operands[0])
				if err != nil {
					return err
				}
				return h.show(ctx, c, cl, &d)
			}
		},
	}
}

// showing is which history is shown, and how.
type showing struct {
	which  executions
	export bool
	width  int
}

func (h *showing) show(ctx context.Context, c *cli, cl instances, d *client.Description) error {
	exports, err := h.which.of(ctx, cl, d)
	if err != nil {
		return err
	}
	switch {
	case h.export && h.which.all:
		text, err := recording.Encode(&recording.Recording{Title: "all executions of " + d.Instance, Histories: exports})
		if err == nil {
			_, err = c.out.Write(text)
		}
		return err
	case h.export:
		_, err := c.out.Write(history.EncodeExport(exports[0]))
		return err
	case c.json() && h.which.all:
		all := make([]api.Events, len(exports))
		for i := range exports {
			all[i] = eventsOf(&exports[i])
		}
		return c.printJSON(all)
	case c.json():
		return c.printJSON(eventsOf(&exports[0]))
	}
	sealed := false
	for i := range exports {
		if i > 0 && c.screen(c.out).Person {
			fmt.Fprintln(c.out)
		}
		c.history(d, &exports[i], h.width)
		sealed = sealed || slices.ContainsFunc(exports[i].Events, func(e history.Event) bool { return e.Codec != "" })
	}
	if sealed {
		fmt.Fprintf(c.err, "payloads are sealed: %s\n", keyAdvice)
	}
	return nil
}

// eventsOf is a history as the API has it.
func eventsOf(x *history.Export) api.Events {
	out := api.Events{Instance: x.Instance, ExecutionID: x.ExecutionID, LastEventID: x.Events[len(x.Events)-1].EventID}
	for i := range x.Events {
		out.Events = append(out.Events, api.EventOf(&x.Events[i], true))
	}
	return out
}

func (c *cli) history(d *client.Description, x *history.Export, width int) {
	events, screen := x.Events, c.screen(c.out)
	if !screen.Person {
		c.eventRows(screen, x.ExecutionID, events, width)
		return
	}
	head := fmt.Sprintf("%s  %s  execution %d", screen.In(term.Bold, printable.Line(d.Instance)), printable.Line(strings.TrimSpace(events[0].Name+" "+events[0].Version)), x.ExecutionID)
	if x.ExecutionID == d.ExecutionID {
		head += "  " + screen.In(statusStyle(d.Status), string(d.Status))
	}
	fmt.Fprintf(c.out, "%s\nbegan %s\n\n", head, plain.Moment(time.UnixMilli(events[0].AtMS)))
	idWidth := len(fmt.Sprint(len(events)))
	t := term.NewTable().Cut(5)
	for i := range events {
		e := &events[i]
		after := ""
		if i > 0 && e.AtMS != events[i-1].AtMS {
			after = "+" + plain.Span(time.Duration(e.AtMS-events[i-1].AtMS)*time.Millisecond)
		}
		of, name := "", e.Name
		if e.SourceEventID > 0 {
			of = fmt.Sprintf("←%d", e.SourceEventID)
			if at := e.SourceEventID - events[0].EventID; at >= 0 && at < int64(len(events)) {
				name = events[at].Name
			}
		}
		t.Row(term.Text(fmt.Sprintf("%*d", idWidth, e.EventID)), term.Styled(term.Dim, fmt.Sprintf("%8s", after)), term.Styled(kindStyle(e.Kind), e.Kind.String()),
			term.Text(of), term.Text(printable.Line(name)), term.Text(detail(e, width)))
	}
	t.Lay(screen)
	took := time.Duration(events[len(events)-1].AtMS-events[0].AtMS) * time.Millisecond
	fmt.Fprintf(c.out, "\n%s in %s\n", plain.Plural(len(events), "event", "events"), plain.Span(took))
	if p := d.Problem; p != nil && x.ExecutionID == d.ExecutionID {
		fmt.Fprintf(c.out, "%s at event %d: %s\n", screen.In(term.Red, string(d.Status)), p.EventID, printable.Line(named(p.Kind, p.Message)))
	}
}

// eventRows prints events for programs: execution, event, when, kind, the event that
// it completes, name, and what it carries.
func (c *cli) eventRows(screen *term.Screen, execution int64, events []history.Event, width int) {
	rows := term.NewTable()
	for i := range events {
		e := &events[i]
		source := ""
		if e.SourceEventID > 0 {
			source = strconv.FormatInt(e.SourceEventID, 10)
		}
		rows.Row(term.Text(strconv.FormatInt(execution, 10)), term.Text(strconv.FormatInt(e.EventID, 10)),
			term.Text(time.UnixMilli(e.AtMS).UTC().Format(time.RFC3339Nano)), term.Text(e.Kind.String()),
			term.Text(source), term.Text(printable.Line(e.Name)), term.Text(detail(e, width)))
	}
	rows.Print(screen)
}

// kindStyle tells what came from outside, what failed and how it ended.
func kindStyle(k history.Kind) term.Style {
	switch {
	case k == history.OrchestrationCompleted, k == history.OrchestrationContinuedAsNew:
		return term.Green
	case k == history.OrchestrationFailed, k == history.ActivityFailed, k == history.SubOrchestrationFailed:
		return term.Red
	case k.Arrival():
		return term.Cyan
	}
	return term.Plain
}

// detail says in a line what else an event holds.
func detail(e *history.Event, width int) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if e.Actor != "" {
		add("by %s", printable.Line(e.Actor))
	}
	switch e.Kind {
	case history.OrchestrationStarted, history.ParentAttached:
		if e.Start != nil && e.Start.Parent != nil {
			add("for %s event %d", printable.Line(e.Start.Parent.Instance), e.Start.Parent.EventID)
		}
	case history.ActivityScheduled:
		if e.Inline {
			add("inline")
		}
		if e.Retry != nil && e.Retry.MaxAttempts > 1 {
			add("up to %d attempts", e.Retry.MaxAttempts)
		}
	case history.TimerCreated:
		add("%s, due %s", plain.Span(time.Duration(e.DurationMS)*time.Millisecond), plain.Moment(time.UnixMilli(e.FireAtMS)))
	case history.SubOrchestrationScheduled, history.OrchestrationChained:
		add("as %s", printable.Line(e.Instance))
	case history.SystemCall:
		add("%s", printable.Line(e.Op))
		if e.Instance != "" {
			add("to %s", printable.Line(e.Instance))
		}
	case history.OrchestrationCancelRequested, history.OrchestrationSuspended, history.OrchestrationResumed, history.ExternalRejected:
		add("%s", plain.Clip(printable.Line(e.Reason), width))
	}
	if e.Imposed != "" {
		add("imposed: %s", printable.Line(e.Imposed))
	}
	if f := e.Failure; f != nil {
		kind := printable.Line(f.Kind)
		if f.Code != "" {
			kind += " " + printable.Line(f.Code)
		}
		if f.Attempt > 1 {
			kind += fmt.Sprintf(" (attempt %d)", f.Attempt)
		}
		add("%s: %s", kind, plain.Clip(printable.Line(f.Message), width))
		if len(f.Details) > 0 && e.Codec == "" {
			add("%s", plain.OneLine(f.Details, width))
		}
	}
	if e.Codec != "" {
		add("[%s, %d bytes]", printable.Line(e.Codec), len(e.Payload))
	} else if len(e.Payload) > 0 {
		add("%s", plain.OneLine(e.Payload, width))
	}
	return strings.Join(parts, "  ")
}
