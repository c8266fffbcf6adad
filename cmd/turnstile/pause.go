package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/pausing"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/printable"
)

func pauseCommand() *command {
	return &command{
		name: "pause", most: 0, also: []string{"halt", "freeze", "disable"},
		short: "stop all turns and activities of the stack; messages stay queued",
		long: paragraph(
			"Turns off the event sources of the two functions: first the orchestrator queue, then the delay",
			"and activity-dead queues, and, after running activities have finished or --drain has passed, the",
			"activity queues. Running turns and attempts finish. New messages wait in their queues for up to",
			"14 days. The clock keeps running for timers and timeouts; they take effect after unpause, in the",
			"order in which their messages arrived. If a pause is interrupted, run it again.",
			"--queue pauses only one activity queue: its messages wait, and running attempts finish. This also",
			"works on a program that serves its console (--console), which records who paused the queue.",
			"See docs/operations.md. Requires the policy in the stack output OperatePolicyArn."),
		examples: []string{"turnstile pause --stack shop", "turnstile pause --stack shop --drain 0s", "turnstile pause --stack shop --queue gpu"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			c.settings.declareActor(flags)
			drain := flags.Duration("drain", 2*time.Minute, "wait up to this `TIME` for running and queued activities; 0s turns off the activity queue at once")
			queue := oneQueue(flags)
			return func(ctx context.Context, _ []string) error {
				switch {
				case *drain < 0:
					return usagef("--drain %s: must not be negative", *drain)
				case *queue != "" && flags.Changed("drain"):
					return usagef("--queue cannot be combined with --drain: it turns the queue off at once, and its messages wait")
				case *queue != "":
					*drain = 0
				}
				p, err := c.pausing(ctx, *queue)
				if err != nil {
					return err
				}
				if err := p.Pause(ctx, *drain); err != nil {
					return c.cutShort("pause", *queue, err)
				}
				if err := c.printStack(ctx, p.Stack); err != nil || *queue == "" || c.json() {
					return err
				}
				fmt.Fprintf(c.err, "queue %s is paused: it keeps messages for 14 days\n", printable.Line(*queue))
				return nil
			}
		},
	}
}

func unpauseCommand() *command {
	return &command{
		name: "unpause", most: 0, also: []string{"enable"},
		short: "let a paused stack continue",
		long: paragraph(
			"Turns on the event sources: first the orchestrator queue, so that no worker starts an activity",
			"that was cancelled or timed out during the pause, then the delay and activity-dead queues, then",
			"the activity queues, including one that pause --queue turned off. Waiting messages are processed",
			"in the order in which they arrived. With --queue it turns on only one activity queue."),
		examples: []string{"turnstile unpause --stack shop", "turnstile unpause --stack shop --queue gpu"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			c.settings.declareActor(flags)
			queue := oneQueue(flags)
			return func(ctx context.Context, _ []string) error {
				p, err := c.pausing(ctx, *queue)
				if err != nil {
					return err
				}
				if err := p.Unpause(ctx); err != nil {
					return c.cutShort("unpause", *queue, err)
				}
				return c.printStack(ctx, p.Stack)
			}
		},
	}
}

func oneQueue(flags *flag.FlagSet) *string {
	return flags.String("queue", "", "only the activity queue `NAME`; default is the name of the unnamed queue")
}

// pausing returns the pause of the stack or, if only is not empty, of one activity queue.
func (c *cli) pausing(ctx context.Context, only string) (*pausing.Pausing, error) {
	stack, err := c.backend().Stack(ctx)
	if err != nil {
		return nil, err
	}
	sources, err := stack.Sources(ctx)
	if err != nil {
		return nil, err
	}
	if len(sources) == 0 {
		return nil, fmt.Errorf("the functions of %s have no event sources: check that it was deployed from Turnstile's template.yaml", c.settings.Where())
	}
	if only == "" && !slices.ContainsFunc(sources, func(s api.EventSource) bool { return s.Queue == deadletter.Orchestrator }) {
		return nil, fmt.Errorf("%w; --queue NAME pauses one of its activity queues", pausing.NoSources(c.settings.Where()))
	}
	if only != "" {
		name := deadletter.Activity
		if only != "default" {
			name += ":" + only
		}
		sources = slices.DeleteFunc(sources, func(s api.EventSource) bool { return s.Queue != name })
		if len(sources) == 0 {
			return nil, notThereError{fmt.Errorf("%s has no activity queue %q with an event source: `turnstile doctor` lists the queues", c.settings.Where(), only)}
		}
	}
	return &pausing.Pausing{Stack: stack, Sources: sources, Notes: c.screen(c.err), Sleep: c.sleep, Now: c.now}, nil
}

// cutShort adds to an error how to continue or undo the command.
func (c *cli) cutShort(verb, queue string, err error) error {
	undo, what := map[string]string{"pause": "unpause", "unpause": "pause"}[verb], "Only some of the event sources were changed"
	if queue != "" {
		what = "The queue may or may not be paused"
		verb, undo = verb+" --queue "+queue, undo+" --queue "+queue
	}
	return fmt.Errorf("%w\n%s: `turnstile%s %s` continues, `turnstile%s %s` undoes it", err, what, c.settings.Words(), verb, c.settings.Words(), undo)
}

// printStack prints the current state of the event sources.
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
		fmt.Fprintf(c.err, "paused: queues keep messages for 14 days; unpause before %s\n", state.KeptUntil.Format("2006-01-02 15:04 UTC"))
	}
	return nil
}
