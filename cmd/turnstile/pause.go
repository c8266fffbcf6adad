package main

import (
	"context"
	"fmt"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/pausing"
)

func pauseCommand() *command {
	return &command{
		name: "pause", most: 0, also: []string{"halt", "freeze", "disable"},
		short: "stop all turns and activities of the stack; messages stay queued",
		long: paragraph(
			"Turns off the event sources of the two functions: first the orchestrator queue, then the",
			"delay and activity-dead queues, and, when running activities are done or --drain is over,",
			"the activity queue. Turns and attempts under way end. New messages wait in their queues for",
			"up to fourteen days. Timers and timeouts go on by the clock, and take effect after unpause,",
			"in the order in which the messages arrived. An interrupted pause can be repeated.",
			"docs/operations.md says more. Needs the policy of the output OperatePolicyArn."),
		examples: []string{"turnstile pause --stack shop", "turnstile pause --stack shop --drain 0s"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			drain := flags.Duration("drain", 2*time.Minute, "wait up to this `TIME` for running and queued activities; 0s turns off the activity queue at once")
			return func(ctx context.Context, _ []string) error {
				if *drain < 0 {
					return usagef("--drain %s: a time, or 0s", *drain)
				}
				p, err := c.pausing(ctx)
				if err != nil {
					return err
				}
				if err := p.Pause(ctx, *drain); err != nil {
					return c.cutShort("pause", err)
				}
				return c.printStack(ctx, p.Stack)
			}
		},
	}
}

func unpauseCommand() *command {
	return &command{
		name: "unpause", most: 0, also: []string{"enable"},
		short: "let a paused stack continue",
		long: paragraph(
			"Turns on the event sources: first the orchestrator queue, so that no worker begins an",
			"activity that was cancelled or timed out meanwhile, then the delay and activity-dead queues,",
			"then the activity queue. Waiting messages are handled in the order in which they arrived."),
		examples: []string{"turnstile unpause --stack shop"},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(ctx context.Context, _ []string) error {
				p, err := c.pausing(ctx)
				if err != nil {
					return err
				}
				if err := p.Unpause(ctx); err != nil {
					return c.cutShort("unpause", err)
				}
				return c.printStack(ctx, p.Stack)
			}
		},
	}
}

func (c *cli) pausing(ctx context.Context) (*pausing.Pausing, error) {
	stack, err := c.backend().Stack(ctx)
	if err != nil {
		return nil, err
	}
	sources, err := stack.Sources(ctx)
	if err != nil {
		return nil, err
	}
	if len(sources) == 0 {
		return nil, fmt.Errorf("the functions of %s have no event sources: is it deployed from Turnstile's template.yaml?", c.settings.Where())
	}
	return &pausing.Pausing{Stack: stack, Sources: sources, Notes: c.screen(c.err), Sleep: c.sleep, Now: c.now}, nil
}

// cutShort says how to go on.
func (c *cli) cutShort(verb string, err error) error {
	return fmt.Errorf("%w\nThe stack is half paused: `turnstile%s %s` continues, `turnstile%s %s` undoes it",
		err, c.settings.Words(), verb, c.settings.Words(), map[string]string{"pause": "unpause", "unpause": "pause"}[verb])
}

// printStack says how the stack stands now.
func (c *cli) printStack(ctx context.Context, stack pausing.Stack) error {
	sources, err := stack.Sources(ctx)
	if err != nil {
		return err
	}
	state := pausing.StateOf(sources, c.now())
	if c.json() {
		return c.printJSON(state)
	}
	pausing.Print(ctx, c.screen(c.out), stack, sources)
	if state.State == "paused" {
		fmt.Fprintf(c.err, "paused: queues keep messages for fourteen days; unpause before %s\n", state.KeptUntil.Format("2006-01-02 15:04 UTC"))
	}
	return nil
}
