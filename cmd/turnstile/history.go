package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
)

func historyCommand() *command {
	return &command{
		name: "history", also: []string{"events", "log", "logs", "export"}, words: firstInstance(), operands: "INSTANCE", least: 1, most: 1,
		short: "show what happened in an instance, event by event",
		long: paragraph(
			"Shows the history of an execution: of each event its id, how long it came after the",
			"one before, its kind, the event that it completes, its name and what it carries, cut",
			"to --width characters. --json prints the export document, which the replay of tests",
			"takes; what proves something (secret, tokens) is left out of both, payloads are not.",
			"Sealed payloads are shown with their keys, else their codec and length are."),
		examples: []string{
			"turnstile history order-17",
			"turnstile history order-17 --width 0",
			"turnstile history order-17 --execution 1 --json > order-17.json",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			execution := flags.Int64("execution", 0, "execution `N`; default the current one")
			width := flags.Int("width", 80, "cut what an event carries to `N` characters; 0 for all of it")
			export := flags.Bool("json", false, "print the export document; so does --output json")
			return func(ctx context.Context, operands []string) error {
				if *execution < 0 {
					return usagef("--execution %d: executions are numbered from 1", *execution)
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				d, err := cl.Describe(ctx, operands[0])
				if err != nil {
					return err
				}
				number := *execution
				if number == 0 {
					number = d.ExecutionID
				}
				x, err := cl.Export(ctx, d.Instance, number)
				if err != nil {
					return err
				}
				events := x.Events
				if len(events) == 0 {
					return notThereError{fmt.Errorf("instance %q has no history of execution %d: it has executions %d to %d", d.Instance, number, d.FirstExecution, d.ExecutionID)}
				}
				if *export || c.json() {
					_, err := c.out.Write(history.EncodeExport(x))
					return err
				}
				c.history(&d, number, events, *width)
				if slices.ContainsFunc(events, func(e history.Event) bool { return e.Codec != "" }) {
					fmt.Fprintf(c.err, "payloads are sealed: %s\n", keyAdvice)
				}
				return nil
			}
		},
	}
}

func (c *cli) history(d *client.Description, execution int64, events []history.Event, width int) {
	head := fmt.Sprintf("%s  %s  execution %d", printable(d.Instance), printable(strings.TrimSpace(events[0].Name+" "+events[0].Version)), execution)
	if execution == d.ExecutionID {
		head += "  " + string(d.Status)
	}
	fmt.Fprintf(c.out, "%s\nbegan %s\n\n", head, moment(time.UnixMilli(events[0].AtMS)))
	idWidth := len(fmt.Sprint(len(events)))
	t := newTable()
	for i := range events {
		e := &events[i]
		after := ""
		if i > 0 {
			if after = "+" + span(time.Duration(e.AtMS-events[i-1].AtMS)*time.Millisecond); e.AtMS == events[i-1].AtMS {
				after = ""
			}
		}
		of, name := "", e.Name
		if e.SourceEventID > 0 {
			of = fmt.Sprintf("←%d", e.SourceEventID)
			if at := e.SourceEventID - events[0].EventID; at >= 0 && at < int64(len(events)) {
				name = events[at].Name
			}
		}
		t.row(fmt.Sprintf("%*d", idWidth, e.EventID), fmt.Sprintf("%8s", after), e.Kind.String(), of, printable(name), detail(e, width))
	}
	t.print(c.out)
	took := time.Duration(events[len(events)-1].AtMS-events[0].AtMS) * time.Millisecond
	fmt.Fprintf(c.out, "\n%s in %s\n", plural(len(events), "event", "events"), span(took))
	if p := d.Problem; p != nil && execution == d.ExecutionID {
		fmt.Fprintf(c.out, "%s at event %d: %s\n", d.Status, p.EventID, printable(named(p.Kind, p.Message)))
	}
}

// detail says in a line what else an event holds.
func detail(e *history.Event, width int) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	switch e.Kind {
	case history.OrchestrationStarted, history.ParentAttached:
		if e.Start != nil && e.Start.Parent != nil {
			add("for %s event %d", printable(e.Start.Parent.Instance), e.Start.Parent.EventID)
		}
	case history.ActivityScheduled:
		if e.Inline {
			add("inline")
		}
		if e.Retry != nil && e.Retry.MaxAttempts > 1 {
			add("up to %d attempts", e.Retry.MaxAttempts)
		}
	case history.TimerCreated:
		add("%s, due %s", span(time.Duration(e.DurationMS)*time.Millisecond), moment(time.UnixMilli(e.FireAtMS)))
	case history.SubOrchestrationScheduled, history.OrchestrationChained:
		add("as %s", printable(e.Instance))
	case history.SystemCall:
		add("%s", printable(e.Op))
		if e.Instance != "" {
			add("to %s", printable(e.Instance))
		}
	case history.OrchestrationCancelRequested:
		add("%s", clip(printable(e.Reason), width))
	}
	if e.Imposed != "" {
		add("imposed: %s", printable(e.Imposed))
	}
	if f := e.Failure; f != nil {
		attempt := ""
		if f.Attempt > 1 {
			attempt = fmt.Sprintf(" (attempt %d)", f.Attempt)
		}
		add("%s%s: %s", printable(f.Kind), attempt, clip(printable(f.Message), width))
	}
	if e.Codec != "" {
		add("[%s, %d bytes]", printable(e.Codec), len(e.Payload))
	} else if len(e.Payload) > 0 {
		add("%s", oneLine(e.Payload, width))
	}
	return strings.Join(parts, "  ")
}
