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
			"Turns off the event sources of the two functions: first the orchestrator queue, then the",
			"delay and activity-dead queues, and, when running activities are done or --drain is over,",
			"the activity queue. Turns and attempts under way end. New messages wait in their queues for",
			"up to fourteen days. Timers and timeouts go on by the clock, and take effect after unpause,",
			"in the order in which the messages arrived. An interrupted pause can be repeated.",
			"With --queue it pauses one activity queue alone: its attempts wait, and those under way end.",
			"That works on a program that serves its console too (--server), which notes who paused it.",
			"docs/operations.md says more. Needs the policy of the output OperatePolicyArn."),
		examples: []string{"turnstile pause --stack shop", "turnstile pause --stack shop --drain 0s", "turnstile pause --stack shop --queue gpu"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			c.settings.declareActor(flags)
			drain := flags.Duration("drain", 2*time.Minute, "wait up to this `TIME` for running and queued activities; 0s turns off the activity queue at once")
			queue := oneQueue(flags)
			return func(ctx context.Context, _ []string) error {
				switch {
				case *drain < 0:
					return usagef("--drain %s: a time, or 0s", *drain)
				case *queue != "" && flags.Changed("drain"):
					return usagef("--queue and --drain do not go together: a queue is turned off at once, and what waits in it stays there")
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
				fmt.Fprintf(c.err, "queue %s is paused: it keeps messages for fourteen days\n", printable.Line(*queue))
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
			"Turns on the event sources: first the orchestrator queue, so that no worker begins an",
			"activity that was cancelled or timed out meanwhile, then the delay and activity-dead queues,",
			"then the activity queues, also one that was paused alone. Waiting messages are handled in the",
			"order in which they arrived. With --queue it turns on one activity queue."),
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
	return flags.String("queue", "", "only the activity queue of this `NAME`; default for the one without a name")
}

// pausing is a pause of the stack, or of the activity queue of a name.
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
		return nil, fmt.Errorf("the functions of %s have no event sources: is it deployed from Turnstile's template.yaml?", c.settings.Where())
	}
	if only == "" && !slices.ContainsFunc(sources, func(s api.EventSource) bool { return s.Queue == deadletter.Orchestrator }) {
		return nil, fmt.Errorf("%w; one of its activity queues is paused with --queue NAME", pausing.NoSources(c.settings.Where()))
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

// cutShort says how to go on.
func (c *cli) cutShort(verb, queue string, err error) error {
	undo, what := map[string]string{"pause": "unpause", "unpause": "pause"}[verb], "The stack is half paused"
	if queue != "" {
		what = "The queue may be paused or not"
		verb, undo = verb+" --queue "+queue, undo+" --queue "+queue
	}
	return fmt.Errorf("%w\n%s: `turnstile%s %s` continues, `turnstile%s %s` undoes it", err, what, c.settings.Words(), verb, c.settings.Words(), undo)
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
