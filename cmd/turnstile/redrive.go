package main

import (
	"context"
	"fmt"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/internal/wire"
)

func redriveCommand() *command {
	return &command{
		name: "redrive", also: []string{"resume-failed", "retry", "fork"}, operands: manyInstances, most: -1, words: instanceIDs(ended[:3]...),
		short: "continue failed instances where they failed",
		long: paragraph(
			"The instance continues in its next execution, with the deployed code. Completed operations keep",
			"their results. Failed and pending operations start again, including failed children, as soon as",
			"the code agrees with the history. If it disagrees, the instance is stuck: deploy code that agrees.",
			"To start from the beginning, use restart. For a stuck instance, use wake.",
			"",
			"With --as, a new instance (a fork) continues instead. The named instance does not change, and may",
			"still be running.",
			"",
			"With INSTANCE…, --dry-run shows which operations would start again and which earlier redrives",
			"were refused.",
			"",
			bulkHelp,
			"Without --status, redrive selects failed instances. If a parent and its child are both selected,",
			"it redrives only the parent, which redrives the child. --resume does not redrive an instance twice."),
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
			b := bulk{verb: "redrive", on: ended[:1], alsoOn: ended[1:], heads: true,
				plan: func(ctx context.Context, cl backend.Instances, instance string) (client.Redriven, error) {
					return acts.Redrive.Call(ctx, cl, instance, client.RedriveRequest{DryRun: true})
				},
				do: func(ctx context.Context, cl backend.Instances, j *batch.Job, instance string) error {
					one := r
					one.Reason = j.Reason
					if j.ID != "" {
						one.DeduplicationID = j.ID
					}
					_, err := acts.Redrive.Call(ctx, cl, instance, one)
					return err
				}}
			b.declare(flags)
			c.settings.declareActor(flags)
			flags.StringVar(&b.reason, "reason", "", "`TEXT` for the history")
			flags.Int64Var(&r.From, "from", 0, "continue at this `EVENT` of the last execution: its operation and all later ones run again; default the failure")
			flags.StringVar(&r.As, "as", "", "id of a new `INSTANCE` that continues instead of the named one, which does not change")
			flags.BoolVar(&r.Reset, "reset", false, "terminate an instance that has not ended before redriving it")
			run := b.action(c)
			return func(ctx context.Context, operands []string) error {
				switch {
				case r.From < 0:
					return usagef("--from %d: must be an event number, from 1", r.From)
				case len(operands) == 0 && (r.From != 0 || r.Reset):
					return usagef("--from and --reset need INSTANCE…: they cannot be combined with selecting flags")
				case r.As != "" && len(operands) != 1:
					return usagef("--as needs exactly one INSTANCE")
				case r.As != "" && r.Reset:
					return usagef("--as cannot be combined with --reset, because --as does not change the instance")
				case len(operands) > 0 && b.dryRun && !b.given() && b.yes == "":
					return c.planRedrives(ctx, r, operands)
				}
				return run(ctx, operands)
			}
		},
	}
}

// planRedrives prints the operations that redrives would start again. It sends nothing.
func (c *cli) planRedrives(ctx context.Context, r client.RedriveRequest, named []string) error {
	cl, err := c.client(ctx)
	if err != nil {
		return err
	}
	r.DryRun = true
	all := make([]client.Redriven, 0, len(named))
	for _, instance := range named {
		d, err := acts.Redrive.Call(ctx, cl, instance, r)
		if err != nil {
			return err
		}
		all = append(all, d)
	}
	err = c.show(all, func() {
		for i := range all {
			views.Plan(c.out, &all[i])
		}
	})
	for i := range all {
		c.tellRefused(ctx, all[i].Instance)
	}
	return err
}

// tellRefused prints the redrives of an instance that the orchestrator refused. It finds them among
// the dead letters, because this command returns before the redrive is processed.
func (c *cli) tellRefused(ctx context.Context, instance string) {
	name := printable.Line(instance)
	found, err := c.peek(ctx, &deadletter.Selection{Queue: deadletter.DeadFIFO, Reason: string(wire.ReasonRedriveRefused), Instance: instance}, 10, false)
	if err != nil {
		fmt.Fprintf(c.err, "cannot check for refused redrives of %s: reading the dead letters: %s\n", name, plain.Message(err))
		return
	}
	for _, l := range found.Letters {
		fmt.Fprintf(c.err, "an earlier redrive of %s was refused: %s\n  to send it again: turnstile dead-letter redrive %s\n", name, printable.Line(l.ReasonText), printable.Line(l.MessageID))
	}
}
