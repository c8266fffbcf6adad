package main

import (
	"cmp"
	"context"
	"fmt"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

func redriveCommand() *command {
	return &command{
		name: "redrive", also: []string{"resume-failed", "retry", "fork"}, operands: "[INSTANCE…]", most: -1, words: instanceIDs(ended[:3]...),
		short: "let failed instances continue where they failed",
		long: paragraph(
			"The instance continues in its next execution, with the deployed code. Completed operations",
			"stay completed; failed and open ones start again, failed children too. If the code disagrees",
			"with the history, nothing changes, and the redrive becomes a dead letter (redrive_refused).",
			"To start from the beginning, use rerun. For a stuck instance, use wake.",
			"",
			"With --as, a new instance continues in its place: a fork. The named instance stays as it is,",
			"and may still run.",
			"",
			"--dry-run with an instance shows what would start again.",
			"",
			bulkHelp,
			"Without --status, redrive selects failed instances. --resume redrives no",
			"instance twice."),
		examples: []string{
			"turnstile redrive order-17 --dry-run",
			"turnstile redrive order-17 --reason 'the price service is fixed'",
			"turnstile redrive order-17 --from 42",
			"turnstile redrive order-17 --as order-17-trial",
			"turnstile redrive --status failed --name Fulfil --since 1d --dry-run",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var r client.RedriveRequest
			b := bulk{verb: "redrive", on: ended[:1],
				do: func(ctx context.Context, cl instances, j *batch.Job, instance string) error {
					one := r
					one.Instance, one.Reason = instance, j.Reason
					if j.ID != "" {
						one.DeduplicationID = j.ID
					}
					_, err := cl.Redrive(ctx, one)
					return err
				}}
			b.declare(flags)
			c.settings.declareActor(flags)
			flags.StringVar(&b.reason, "reason", "", "`TEXT` for the history")
			flags.Int64Var(&r.From, "from", 0, "continue at this `EVENT` of the last execution: its operation and everything after it happen again; default where it failed")
			flags.StringVar(&r.As, "as", "", "new `INSTANCE` that continues in place of the named one, which stays as it is")
			flags.BoolVar(&r.Reset, "reset", false, "terminate an instance that has not ended, then redrive it")
			run := b.action(c)
			return func(ctx context.Context, operands []string) error {
				switch {
				case r.From < 0:
					return usagef("--from %d: the number of an event, from 1", r.From)
				case len(operands) == 0 && (r.From != 0 || r.Reset):
					return usagef("--from and --reset need INSTANCE…, not flags that select")
				case r.As != "" && len(operands) != 1:
					return usagef("--as needs exactly one INSTANCE")
				case r.As != "" && r.Reset:
					return usagef("--as leaves the instance as it is: leave out --reset")
				case len(operands) > 0 && b.dryRun && !b.given() && b.yes == "":
					return c.planRedrives(ctx, r, operands)
				}
				if b.status != "" {
					b.on = ended
				}
				return run(ctx, operands)
			}
		},
	}
}

// planRedrives says what redrives would start anew, and sends nothing.
func (c *cli) planRedrives(ctx context.Context, r client.RedriveRequest, named []string) error {
	cl, err := c.client(ctx)
	if err != nil {
		return err
	}
	r.DryRun = true
	var plans []redrivePlan
	for _, instance := range named {
		r.Instance = instance
		d, err := cl.Redrive(ctx, r)
		if err != nil {
			return err
		}
		plans = append(plans, redrivePlan{cmp.Or(r.As, instance), d})
	}
	if c.json() {
		return c.printJSON(plansJSON(plans))
	}
	for _, p := range plans {
		p.print(c)
	}
	return nil
}

type redrivePlan struct {
	instance string
	client.Redriven
}

func (p *redrivePlan) print(c *cli) {
	name := printable.Line(p.instance)
	switch {
	case p.TakenOver == 0:
		fmt.Fprintf(c.out, "%s would begin from the beginning: it failed in its first round\n", name)
	default:
		fmt.Fprintf(c.out, "%s would take over %s, and keep %s behind %s\n", name, plain.Plural(int(p.TakenOver), "event", "events"),
			plain.Plural(p.Kept, "result", "results"), map[bool]string{true: "it", false: "them"}[p.TakenOver == 1])
	}
	for _, w := range p.Again {
		fmt.Fprintf(c.out, "  %-5d  %-24s  %s\n", w.EventID, workText(&w), map[string]string{
			"failed": "had failed: starts anew", "open": "was open: starts anew", "forgotten": "forgotten: the code asks for it again"}[w.Why])
	}
	if len(p.Again) == 0 && p.TakenOver > 0 {
		fmt.Fprintln(c.out, "  nothing is started anew: only the code runs again")
	}
}

func workText(w *client.RedrivenWork) string {
	switch w.Kind {
	case history.ActivityScheduled:
		return "activity " + printable.Line(w.Name)
	case history.SubOrchestrationScheduled:
		return "child " + printable.Line(w.Instance)
	}
	return "timer"
}

// plansJSON are plans as they are printed.
func plansJSON(plans []redrivePlan) []api.Redriven {
	all := make([]api.Redriven, len(plans))
	for i := range plans {
		all[i] = api.RedrivenOf(plans[i].instance, &plans[i].Redriven)
	}
	return all
}
