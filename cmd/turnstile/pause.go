package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
)

// stackControl turns the event sources of a stack off and on.
type stackControl interface {
	// Sources are the queues for which functions run.
	Sources(ctx context.Context) ([]api.EventSource, error)
	// Source is how one of them stands.
	Source(ctx context.Context, id string) (api.EventSource, error)
	Enable(ctx context.Context, id string, on bool) error
	// Queue says how full a queue is.
	Queue(ctx context.Context, name string) (api.Queue, error)
}

// pauseSteps is the order in which event sources are turned off, and on again. First
// those of the orchestrator: no turn is made any more, so that nothing new begins and
// no timeout is acted on. Last activities, which may end meanwhile what was begun. On
// the way back the orchestrator is first too: what it cancels or gives up for what
// came in the meantime is not begun by a worker before.
var pauseSteps = []struct {
	queues []string
	what   string
}{
	{[]string{deadletter.Orchestrator}, "turns"},
	{[]string{deadletter.Delay, deadletter.ActivityDead}, "delayed messages"},
	{[]string{deadletter.Activity}, "activities"},
}

const (
	// sourceLook is between two looks at an event source that changes.
	sourceLook = time.Second
	// sourcePatience is how long a change may take; on AWS it is seconds.
	sourcePatience = 5 * time.Minute
	// retention is how long a queue keeps a message.
	retention = 14 * 24 * time.Hour
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
				return p.pause(ctx, *drain)
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
				return p.unpause(ctx)
			}
		},
	}
}

func (c *cli) pausing(ctx context.Context) (*pausing, error) {
	stack, err := c.open(&c.settings).Stack(ctx)
	if err != nil {
		return nil, err
	}
	sources, err := stack.Sources(ctx)
	if err != nil {
		return nil, err
	}
	if len(sources) == 0 {
		return nil, fmt.Errorf("the functions of %s have no event sources: is it deployed from Turnstile's template.yaml?", c.settings.where())
	}
	return &pausing{cli: c, stack: stack, sources: sources}, nil
}

// pausing is a pause, or the end of one.
type pausing struct {
	*cli
	stack   stackControl
	sources []api.EventSource
}

// step returns the event sources of a step; the first has those too that nobody
// knows.
func (p *pausing) step(n int) []api.EventSource {
	var out []api.EventSource
	for _, s := range p.sources {
		at := slices.IndexFunc(pauseSteps, func(step struct {
			queues []string
			what   string
		}) bool {
			return slices.Contains(step.queues, s.Queue) || ofActivities(s.Queue) && slices.Contains(step.queues, deadletter.Activity)
		})
		if max(at, 0) == n {
			out = append(out, s)
		}
	}
	return out
}

// ofActivities reports whether a queue is one that activities go through.
func ofActivities(queue string) bool {
	return queue == deadletter.Activity || strings.HasPrefix(queue, deadletter.Activity+":")
}

func (p *pausing) pause(ctx context.Context, drain time.Duration) error {
	for n := range pauseSteps {
		if n == len(pauseSteps)-1 {
			if err := p.drain(ctx, drain); err != nil {
				return p.cutShort("pause", err)
			}
		}
		if err := p.turn(ctx, n, false); err != nil {
			return p.cutShort("pause", err)
		}
	}
	return p.print(ctx)
}

func (p *pausing) unpause(ctx context.Context) error {
	for n := range pauseSteps {
		if err := p.turn(ctx, n, true); err != nil {
			return p.cutShort("unpause", err)
		}
	}
	return p.print(ctx)
}

// cutShort says how to go on.
func (p *pausing) cutShort(verb string, err error) error {
	return fmt.Errorf("%w\nThe stack is half paused: `turnstile%s %s` continues, `turnstile%s %s` undoes it",
		err, p.settings.words(), verb, p.settings.words(), map[string]string{"pause": "unpause", "unpause": "pause"}[verb])
}

const (
	sourceOn  = "Enabled"
	sourceOff = "Disabled"
)

// turn turns the event sources of a step off or on, and waits until they are.
func (p *pausing) turn(ctx context.Context, n int, on bool) error {
	want, verb := sourceOff, "paused"
	if on {
		want, verb = sourceOn, "on"
	}
	for _, s := range p.step(n) {
		if s.State == want {
			fmt.Fprintf(p.err, "%s already: %s (%s)\n", verb, s.Queue, pauseSteps[n].what)
			continue
		}
		if err := p.settled(ctx, &s, sourceOn, sourceOff); err != nil {
			return err
		}
		if s.State != want {
			if err := p.stack.Enable(ctx, s.ID, on); err != nil {
				return fmt.Errorf("event source %s (%s): %w", s.Queue, s.ID, err)
			}
			s.State = ""
			if err := p.settled(ctx, &s, want); err != nil {
				return err
			}
		}
		fmt.Fprintf(p.err, "%s: %s (%s)\n", verb, s.Queue, pauseSteps[n].what)
	}
	return nil
}

// settled waits until an event source is in one of the states.
func (p *pausing) settled(ctx context.Context, s *api.EventSource, states ...string) error {
	for began := p.now(); !slices.Contains(states, s.State); {
		now, err := p.stack.Source(ctx, s.ID)
		if err != nil {
			return fmt.Errorf("event source %s (%s): %w", s.Queue, s.ID, err)
		}
		if s.State = now.State; slices.Contains(states, s.State) {
			return nil
		}
		if p.now().Sub(began) > sourcePatience {
			return fmt.Errorf("event source %s (%s) has been %s for more than %s: look at it in Lambda's console", s.Queue, s.ID, s.State, sourcePatience)
		}
		if !p.sleep(ctx, sourceLook) {
			return ctx.Err()
		}
	}
	return nil
}

// drain waits until no turn is under way, and no activity is or waits to be.
func (p *pausing) drain(ctx context.Context, longest time.Duration) error {
	sources := p.step(len(pauseSteps) - 1)
	if longest <= 0 || !slices.ContainsFunc(sources, func(s api.EventSource) bool { return s.State == sourceOn }) {
		return nil
	}
	bar := term.NewProgress(p.screen(p.err), p.now)
	defer bar.End()
	for began := p.now(); ; {
		turns, err := p.stack.Queue(ctx, deadletter.Orchestrator)
		if err != nil {
			return err
		}
		var work api.Queue
		for _, s := range sources {
			one, err := p.stack.Queue(ctx, s.Queue)
			if err != nil {
				return err
			}
			work.Visible, work.InFlight = work.Visible+one.Visible, work.InFlight+one.InFlight
		}
		left := turns.InFlight + work.Visible + work.InFlight
		if left == 0 {
			return nil
		}
		if p.now().Sub(began) >= longest {
			bar.Line(fmt.Sprintf("not drained after %s: %d in turns, %d activities running, %d waiting; running ones end, the others wait until unpause", longest, turns.InFlight, work.InFlight, work.Visible))
			return nil
		}
		bar.Show(fmt.Sprintf("draining: %d in turns, %d activities running, %d waiting", turns.InFlight, work.InFlight, work.Visible))
		if !p.sleep(ctx, sourceLook) {
			return ctx.Err()
		}
	}
}

// print says how the stack stands now.
func (p *pausing) print(ctx context.Context) error {
	sources, err := p.stack.Sources(ctx)
	if err != nil {
		return err
	}
	state := stackOf(sources, p.now())
	if p.json() {
		return p.printJSON(state)
	}
	screen := p.screen(p.out)
	rows := term.NewTable("QUEUE", "EVENT SOURCE", "VISIBLE", "IN FLIGHT", "DELAYED").Cut(0)
	for _, s := range sources {
		row := []term.Cell{term.Text(s.Queue), term.Styled(sourceStyle(s.State), s.State)}
		if q, err := p.stack.Queue(ctx, s.Queue); err == nil {
			row = append(row, term.Text(fmt.Sprint(q.Visible)), term.Text(fmt.Sprint(q.InFlight)), term.Text(fmt.Sprint(q.Delayed)))
		}
		rows.Row(row...)
	}
	rows.Print(screen)
	if state.State == "paused" {
		fmt.Fprintf(p.err, "paused: queues keep messages for fourteen days; unpause before %s\n", state.KeptUntil.Format("2006-01-02 15:04 UTC"))
	}
	return nil
}

func sourceStyle(state string) term.Style {
	switch state {
	case sourceOn:
		return term.Green
	case sourceOff:
		return term.Red
	}
	return term.Yellow
}

// stackOf is the state of a stack by its event sources.
func stackOf(sources []api.EventSource, now time.Time) api.Stack {
	s := api.Stack{Sources: sources, State: "partly"}
	on, off := 0, 0
	for _, source := range sources {
		switch source.State {
		case sourceOn:
			on++
		case sourceOff:
			off++
		default:
			s.State = "changing"
		}
	}
	switch {
	case on == len(sources):
		s.State = "running"
	case off == len(sources):
		s.State, s.KeptUntil = "paused", now.Add(retention).UTC().Truncate(time.Millisecond)
		// It was paused when the first of them was.
		for _, source := range sources {
			if until := source.ChangedAt.Add(retention).UTC(); !source.ChangedAt.IsZero() && until.Before(s.KeptUntil) {
				s.KeptUntil = until
			}
		}
	}
	return s
}

// errNoStackHere: what is not a stack has no event sources.
func errNoStackHere(what string) error {
	return fmt.Errorf("%s has no event sources: end it to pause it, and start it to go on", what)
}
