package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

func describeCommand() *command {
	return &command{
		name: "describe", also: []string{"show", "get", "status", "inspect", "info"}, words: firstInstance(), operands: "INSTANCE", least: 1, most: 1,
		short: "show the state of an instance",
		long: paragraph(
			"Shows the instance as of its last committed turn: status, times, search attributes, custom",
			"status, output or failure. A running instance: what it waits for, down to a stuck child, and",
			"the events that no wait has taken, or that a wait rejected, with the reason. A stuck or",
			"corrupt instance: why, where, and what to do."),
		examples: []string{
			"turnstile describe order-17",
			"turnstile describe order-17 --output json | jq .problem",
		},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(ctx context.Context, operands []string) error {
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				d, err := cl.Describe(ctx, operands[0])
				if err != nil {
					return err
				}
				// A history that can't be read is told by the record's problem.
				waiting, unread := cl.Waiting(ctx, operands[0])
				if c.json() {
					out := api.InstanceOf(&d)
					out.WaitingFor, out.Untaken = api.PendingOperationsOf(waiting.Open), api.UntakenEventsOf(waiting.Untaken)
					return c.printJSON(out)
				}
				c.describe(&d, &waiting)
				if unread != nil && d.Problem == nil {
					fmt.Fprintf(c.err, "what it waits for can't be read: %s\n", message(unread))
				}
				return nil
			}
		},
	}
}

func (c *cli) describe(d *client.Description, waiting *client.Waiting) {
	now := c.now()
	t := plain.NewTable()
	t.Row("instance", printable.Line(d.Instance))
	t.Row("orchestration", printable.Line(strings.TrimSpace(d.Name+" "+d.Version)))
	t.Row("status", string(d.Status))
	execution := fmt.Sprint(d.ExecutionID)
	if d.Pruned > 0 {
		execution += fmt.Sprintf(" (kept from %d on, %d earlier were pruned)", d.FirstExecution, d.Pruned)
	}
	t.Row("execution", execution)
	t.Row("started", plain.Moment(d.CreatedAt)+" ("+plain.Ago(now, d.CreatedAt)+")")
	t.Row("updated", plain.Moment(d.UpdatedAt)+" ("+plain.Ago(now, d.UpdatedAt)+")")
	if !d.EndedAt.IsZero() {
		t.Row("ended", fmt.Sprintf("%s (%s, after %s)", plain.Moment(d.EndedAt), plain.Ago(now, d.EndedAt), plain.Span(d.EndedAt.Sub(d.CreatedAt))))
	}
	if !d.LoopedAt.IsZero() {
		t.Row("looping", "slowed "+plain.Moment(d.LoopedAt)+" ("+plain.Ago(now, d.LoopedAt)+"): it goes on without a pause")
	}
	if d.StartID != "" {
		t.Row("start id", printable.Line(d.StartID))
	}
	if p := d.Parent; p != nil {
		t.Row("parent", fmt.Sprintf("%s, execution %d, event %d", printable.Line(p.Instance), p.ExecutionID, p.EventID))
	}
	t.Print(c.out)
	if len(d.SearchAttributes) > 0 {
		fmt.Fprintln(c.out, "\nsearch attributes")
		attributes := plain.NewTable()
		for _, name := range slices.Sorted(maps.Keys(d.SearchAttributes)) {
			attributes.Row("  "+printable.Line(name), printable.Line(d.SearchAttributes[name].String()))
		}
		attributes.Print(c.out)
	}
	c.sealed(d)
	c.section("custom status", d.CustomStatus)
	c.section("output", d.Output)
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
		fmt.Fprintf(c.out, "\nfailure: %s%s\n", printable.Line(f.Kind), source)
		c.text(f.Message)
		c.text(f.Stack)
		c.section("details", f.Details)
	}
	c.waiting(waiting.Open)
	c.untaken(waiting.Untaken)
	if s := d.Suspension; s != nil {
		by := ""
		if s.Actor != "" {
			by = ", by " + printable.Line(s.Actor)
		}
		until := ""
		if s.UntilMS > 0 {
			until = ", until " + plain.Moment(time.UnixMilli(s.UntilMS))
		}
		fmt.Fprintf(c.out, "\nsuspended: since %s%s, event %d%s\n", plain.Moment(time.UnixMilli(s.SinceMS)), until, s.EventID, by)
		c.text(s.Reason)
		fmt.Fprintf(c.out, "\nwhat to do: `turnstile resume` lets it go on.\n")
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
		fmt.Fprintf(c.out, "\n%s: %s%s\n", what, printable.Line(p.Kind), at)
		c.text(p.Message)
		c.text(p.Stack)
		fmt.Fprintf(c.out, "\nwhat to do: %s\n", problemAdvice(p.Kind))
	}
}

// sealed says why payloads of the record are not shown.
func (c *cli) sealed(d *client.Description) {
	if d.Sealed != nil {
		fmt.Fprintf(c.out, "\nsealed\n")
		c.text(message(d.Sealed))
		fmt.Fprintf(c.out, "\nto see custom status, output and details: %s\n", keyAdvice)
	}
}

func (c *cli) section(title string, payload []byte) {
	if len(payload) > 0 {
		fmt.Fprintf(c.out, "\n%s\n  %s\n", title, plain.Indented(payload, "  "))
	}
}

func (c *cli) text(text string) {
	if text != "" {
		fmt.Fprintf(c.out, "  %s\n", plain.IndentLines(text, "  "))
	}
}
