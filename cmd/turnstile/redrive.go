package main

import (
	"cmp"
	"context"
	"fmt"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/internal/wire"
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
			"--dry-run with an instance shows what would start again, and which redrives of it were refused.",
			"",
			bulkHelp,
			"Without --status, redrive selects failed instances. Of a parent and its child it takes the",
			"parent, whose redrive redrives the child. --resume redrives no instance twice."),
		examples: []string{
			"turnstile redrive order-17 --dry-run",
			"turnstile redrive order-17 --reason 'the price service is fixed'",
			"turnstile redrive order-17 --from 42",
			"turnstile redrive order-17 --as order-17-trial",
			"turnstile redrive --status failed --name Fulfil --since 1d --dry-run",
			"turnstile redrive --cause 1f3a90c2 --reason 'the price service is fixed'",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var r client.RedriveRequest
			b := bulk{verb: "redrive", on: ended[:1], heads: true,
				do: func(ctx context.Context, cl backend.Instances, j *batch.Job, instance string) error {
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
	plans := make([]client.Redriven, 0, len(named))
	all := make([]api.Redriven, 0, len(named))
	for _, instance := range named {
		r.Instance = instance
		d, err := cl.Redrive(ctx, r)
		if err != nil {
			return err
		}
		plans, all = append(plans, d), append(all, api.RedrivenOf(cmp.Or(r.As, instance), &d))
	}
	if c.json() {
		err = c.printJSON(all)
	} else {
		for i := range plans {
			views.Plan(c.out, all[i].Instance, &plans[i])
		}
	}
	for i := range all {
		c.tellRefused(ctx, all[i].Instance)
	}
	return err
}

// tellRefused says which redrives of an instance the orchestrator has refused. This command does
// not have its code, and learns of that by a dead letter alone.
func (c *cli) tellRefused(ctx context.Context, instance string) {
	name := printable.Line(instance)
	found, err := c.peek(ctx, &deadletter.Selection{Queue: deadletter.DeadFIFO, Reason: string(wire.ReasonRedriveRefused), Instance: instance}, 10, false)
	if err != nil {
		fmt.Fprintf(c.err, "whether a redrive of %s was refused before is not known: the dead letters cannot be read: %s\n", name, plain.Message(err))
		return
	}
	for _, l := range found {
		fmt.Fprintf(c.err, "a redrive of %s was refused before: %s\n  when the code is fixed: turnstile dead-letter redrive %s\n", name, printable.Line(l.ReasonText), printable.Line(l.MessageID))
	}
}
