package main

import (
	"context"
	"fmt"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// actCommands returns the commands of the acts that have none of their own.
func actCommands() []*command {
	var all []*command
	for _, act := range acts.All() {
		switch a := act.(type) {
		case *acts.Act[api.Nothing, api.Sent]:
			if a.Many {
				all = append(all, manyCommand(a, func(string) api.Nothing { return api.Nothing{} }))
			}
		case *acts.Act[api.End, api.Sent]:
			all = append(all, manyCommand(a, func(reason string) api.End { return api.End{Reason: reason} }))
		case *acts.Act[api.Early, api.Sent]:
			all = append(all, eventCommand(a))
		}
	}
	return all
}

// told returns a command with the words of an act.
func told(act acts.Any) *command {
	c := &act.About().Command
	return &command{name: c.Name, also: c.Also, short: c.Short, long: c.Long, examples: c.Examples}
}

// manyCommand returns the command of an act on instances. in makes a request with a reason.
func manyCommand[In any](act *acts.Act[In, api.Sent], in func(reason string) In) *command {
	row := act.Command
	cmd := told(act)
	cmd.operands, cmd.most = manyInstances, -1
	cmd.words = instanceIDs(append(row.On[:len(row.On):len(row.On)], row.AlsoOn...)...)
	cmd.long += "\n\n" + bulkHelp
	if row.Default != "" {
		cmd.long += fmt.Sprintf("\nWithout --status, %s selects %s instances.", row.Name, row.Default)
	}
	cmd.declare = func(c *cli, flags *flag.FlagSet) action {
		b := bulk{verb: row.Name, on: row.On, alsoOn: row.AlsoOn, do: func(ctx context.Context, cl backend.Instances, j *batch.Job, instance string) error {
			_, err := act.Call(ctx, cl, instance, in(j.Reason))
			return err
		}}
		b.declare(flags)
		if act.About() == acts.Wake.About() {
			flags.StringVar(&b.problem, "problem", "", "only instances that are stuck with this `KIND` of problem, such as nondeterminism, panic, not_registered")
		}
		if act.Reason {
			flags.StringVar(&b.reason, "reason", "", "`TEXT` for the history")
		}
		c.settings.declareActor(flags)
		return b.action(c)
	}
	return cmd
}

// eventCommand returns the command of an act on an operation.
func eventCommand(act *acts.Act[api.Early, api.Sent]) *command {
	cmd := told(act)
	cmd.operands, cmd.least, cmd.most, cmd.words = "INSTANCE EVENT", 2, 2, firstInstance(act.Command.On...)
	cmd.declare = func(c *cli, flags *flag.FlagSet) action {
		var in api.Early
		if act.Reason {
			flags.StringVar(&in.Reason, "reason", "", "`TEXT` for the history")
		}
		flags.BoolVar(&in.DryRun, "dry-run", false, "send nothing, and show when it is due")
		c.settings.declareActor(flags)
		return func(ctx context.Context, operands []string) error {
			cl, err := c.client(ctx)
			if err != nil {
				return err
			}
			if in.EventID, err = operationOf(ctx, cl, operands[0], act.Of, operands[1]); err != nil {
				return err
			}
			plan, err := act.Call(ctx, cl, operands[0], api.Early{EventID: in.EventID, DryRun: true})
			if err != nil {
				return err
			}
			what := fmt.Sprintf("%s %d of %s", act.Of, in.EventID, printable.Line(operands[0]))
			if plan.Attempt > 0 {
				what = fmt.Sprintf("attempt %d of %s", plan.Attempt, what)
			}
			if in.DryRun {
				return c.did(c.out, plan, fmt.Sprintf("dry run: %s would %s now; it is due %s", what, act.Verb, plain.Moment(plan.DueAt)))
			}
			sent, err := act.Call(ctx, cl, operands[0], in)
			if err != nil {
				return err
			}
			return c.did(c.err, sent, fmt.Sprintf("sent: %s %ss now", what, act.Verb))
		}
	}
	return cmd
}
