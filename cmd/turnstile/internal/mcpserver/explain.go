package mcpserver

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/cause"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

const (
	// around is the number of events shown before and after the one with the problem.
	around = 5
	// childLooks is the largest number of children to read in search of a stuck one.
	childLooks = 50
	// overdue is the delay after which a timer may have been lost; timers are never this late.
	overdue = 5 * time.Minute
)

type instanceInput struct {
	Instance string `json:"instance" jsonschema:"id of the instance"`
}

// explanation describes why an instance does not continue.
type explanation struct {
	Instance string        `json:"instance"`
	Name     string        `json:"name"`
	Version  string        `json:"version,omitempty"`
	Status   client.Status `json:"status"`
	// Summary states the reason, Advice what to do.
	Summary string `json:"summary"`
	Advice  string `json:"advice,omitempty"`
	// Problem has the difference between code and history in Diff.
	Problem    *store.Problem    `json:"problem,omitempty"`
	NextTry    time.Time         `json:"next_try,omitzero"`
	Suspension *store.Suspension `json:"suspension,omitempty"`
	// Cause is the first failure, HandedOn how it was passed on to this instance, and CauseKey its
	// key in list_failures.
	Cause    string           `json:"cause,omitempty"`
	HandedOn []cause.HandedOn `json:"handed_on,omitempty"`
	CauseKey string           `json:"cause_key,omitempty"`
	Failure  *wire.Failure    `json:"failure,omitempty"`
	LoopedAt time.Time        `json:"looped_at,omitzero"`
	// Events are the events around the one with the problem.
	Events        []api.Event `json:"events,omitempty"`
	HistoryUnread string      `json:"history_unread,omitempty"`
	// Children are the stuck, corrupt or suspended children, each with the path of instances that
	// leads to it.
	Children []unwell `json:"children,omitempty"`
	// ChildrenUnseen reports that there may be more such children.
	ChildrenUnseen    bool                   `json:"children_unseen,omitempty"`
	PendingOperations []api.PendingOperation `json:"pending,omitempty"`
	PendingMore       int                    `json:"pending_more,omitempty"`
	Overdue           []int64                `json:"overdue_timers,omitempty"`
}

// unwell is a child that is stuck, corrupt or suspended.
type unwell struct {
	Instance   string            `json:"instance"`
	Name       string            `json:"name"`
	Status     string            `json:"status"`
	Path       []string          `json:"path"`
	Problem    *store.Problem    `json:"problem,omitempty"`
	Suspension *store.Suspension `json:"suspension,omitempty"`
	Advice     string            `json:"advice"`
}

func (s *server) addExplain() {
	add(s, "explain_stuck", "Explain why an instance does not continue: its problem with the difference between code and history, the events around it, and what to do; or the child, suspension, event or timer that it waits for. For a failed instance: the first failure, down to the child or activity, and how it was passed on.",
		look("Explain why an instance is stuck"), s.explain)
}

const resumeAdvice = "`turnstile resume` continues it"

func (s *server) explain(ctx context.Context, c *call, in instanceInput) (any, error) {
	d, err := c.Describe(ctx, in.Instance)
	if err != nil {
		return nil, err
	}
	of := api.InstanceOf(&d)
	of.Fold(foldOver)
	out := &explanation{Instance: of.Instance, Name: of.Name, Version: of.Version, Status: of.Status,
		Problem: of.Problem, Suspension: of.Suspension, Cause: of.Cause, HandedOn: of.HandedOn, CauseKey: of.CauseKey, Failure: of.Failure, LoopedAt: of.LoopedAt}
	switch {
	case d.Problem != nil:
		out.Summary = fmt.Sprintf("the instance is stuck: %s", d.Problem.Kind)
		if d.Problem.Kind == store.ProblemCorrupt {
			out.Summary = "the history of the instance is corrupt, and its code does not run"
		}
		out.Advice = s.Advice(d.Problem.Kind)
		if d.Problem.NextMS > 0 {
			out.NextTry = time.UnixMilli(d.Problem.NextMS).UTC()
		}
		if d.Suspension != nil {
			out.Summary += "; it is also suspended"
			out.Advice += "; because it is also suspended, " + resumeAdvice + " after that"
		}
		s.eventsAround(ctx, c, out)
	case d.Status == client.StatusScheduled:
		out.Summary = "the instance is not stuck: it starts at " + time.UnixMilli(d.Suspension.UntilMS).UTC().Format(time.RFC3339)
		out.Advice = "`turnstile resume` starts it now"
	case d.Status == client.StatusQueued:
		out.Summary = "the instance is not stuck: it waits for a permit of the limit " + strconv.Quote(d.Suspension.LimitKey)
		out.Advice = "`turnstile limit show KEY` shows the running and the waiting instances and the state of the limit's coordinator; `turnstile limit first` moves this instance to the front; `turnstile resume` starts it regardless of the limit"
	case d.Suspension != nil:
		out.Summary, out.Advice = "the instance is suspended: its code does not run until it is resumed", resumeAdvice
	case d.Failure != nil:
		first, _ := api.CauseOf(&d)
		out.Summary = "the instance is not stuck: it ended as " + string(of.Status) + " because of " + first.Line()
		alike := ""
		if of.CauseKey != "" {
			alike = " (list_failures with cause " + of.CauseKey + " lists all instances with this cause)"
		}
		out.Advice = "fix the cause" + alike + "; then `turnstile redrive` continues it where it failed, and `turnstile restart` restarts it from the beginning"
		if plan, err := acts.Redrive.Call(ctx, c, in.Instance, client.RedriveRequest{DryRun: true}); err == nil && plan.Nothing() {
			out.Advice = "fix the cause" + alike + "; then `turnstile restart` restarts it from the beginning. A redrive would not start any operation again, so with the same code it would fail in the same way"
		}
	case d.Status.Terminal():
		out.Summary = "the instance is not stuck: it ended as " + string(of.Status)
	case d.Awaits != nil:
		out.Summary = "the instance is not stuck yet: it " + api.AwaitsText(d.Awaits) + ": " + d.Awaits.Message
		out.Advice = api.AwaitsAdvice(d.Awaits)
	default:
		return out, s.explainWaiting(ctx, c, out)
	}
	return out, nil
}

// eventsAround adds the events around the problem, if the history can be read.
func (s *server) eventsAround(ctx context.Context, c *call, out *explanation) {
	if out.Problem.EventID == 0 {
		return
	}
	x, err := export(ctx, c, out.Instance, 0)
	if err != nil {
		out.HistoryUnread = s.Explain(err)
		return
	}
	// The problem may be at the next event, which is not in the history yet.
	from := min(out.Problem.EventID, x.Events[len(x.Events)-1].EventID) - around
	out.Events = eventsOf(x.Events, from, 2*around+1, false)
}

// explainWaiting explains what a running instance waits for, and which of its children do not
// continue.
func (s *server) explainWaiting(ctx context.Context, c *call, out *explanation) error {
	w, err := c.Pending(ctx, out.Instance)
	if err != nil {
		return err
	}
	for i := range w.Operations {
		if o := &w.Operations[i]; o.Kind == history.TimerCreated && !o.DueAt.IsZero() && s.Now().Sub(o.DueAt) > overdue {
			out.Overdue = append(out.Overdue, o.EventID)
		}
	}
	if err := s.children(ctx, c, out, w.Operations); err != nil {
		return err
	}
	shown, err := fit(c, out.Children, len(out.Children))
	if err != nil {
		return err
	}
	if shown < len(out.Children) {
		out.Children, out.ChildrenUnseen = out.Children[:shown], true
	}
	paused, _ := c.PausedQueues(ctx) // Without permission to read the pauses, all else is still returned.
	if out.PendingOperations, out.PendingMore, err = operations(c, w.Operations, paused); err != nil {
		return err
	}
	switch {
	case len(out.Children) > 0:
		out.Summary = "the instance itself is not stuck: it waits for a child that does not continue"
		out.Advice = "fix the child: see children"
	case stopped(w.Operations, paused) != nil:
		p := stopped(w.Operations, paused)
		out.Summary = "the instance is not stuck: " + p.Text()
		out.Advice = "`turnstile unpause` continues it"
		if p.Queue != "" {
			out.Advice = "`turnstile unpause --queue " + p.Queue + "` continues it"
		}
	case len(out.Overdue) > 0:
		out.Summary = "the instance waits for an overdue timer, which may have been lost"
		out.Advice = "`turnstile wake` resends its pending operations, which is safe"
	case len(w.Operations) == 0:
		out.Summary = "the instance is not stuck, and its history has no pending operations: its next turn is queued or running"
		out.Advice = "check again in a minute; if nothing has changed, run `turnstile wake`, and look for dead letters with `turnstile dead-letter list`"
	default:
		out.Summary = "the instance is not stuck: it is running, and waits for the operations in pending"
	}
	if !out.LoopedAt.IsZero() {
		out.Summary += "; it was slowed down because it never waits"
	}
	return nil
}

// stopped returns the pause of a queue that an instance waits for; nil if there is none.
func stopped(open []client.PendingOperation, paused []api.PausedQueue) *api.PausedQueue {
	for i := range paused {
		if paused[i].Queue == "" {
			return &paused[i]
		}
	}
	for i := range open {
		if p := api.PausedFor(paused, open[i].Queue); p != nil && open[i].Kind == history.ActivityScheduled {
			return p
		}
	}
	return nil
}

// parent is an instance whose pending operations are searched for children.
type parent struct {
	path []string
	open []client.PendingOperation
}

// children adds the children that do not continue, level by level.
func (s *server) children(ctx context.Context, c *call, out *explanation, open []client.PendingOperation) error {
	looks, next := 0, []parent{{[]string{out.Instance}, open}}
	for len(next) > 0 {
		p := next[0]
		next = next[1:]
		for i := range p.open {
			d := p.open[i].Child
			if d == nil || d.Status.Terminal() {
				continue
			}
			path := append(append([]string{}, p.path...), d.Instance)
			if d.Problem != nil || d.Suspension != nil {
				if len(out.Children) == shownWaiting {
					out.ChildrenUnseen = true
					return nil
				}
				out.Children = append(out.Children, s.unwell(d, path))
				continue
			}
			if looks == childLooks {
				out.ChildrenUnseen = true
				continue
			}
			looks++
			w, err := c.Pending(ctx, d.Instance)
			if err != nil {
				return err
			}
			next = append(next, parent{path, w.Operations})
		}
	}
	return nil
}

func (s *server) unwell(d *client.Description, path []string) unwell {
	u := unwell{Instance: d.Instance, Name: d.Name, Status: string(d.Status), Path: path, Problem: d.Problem, Suspension: d.Suspension, Advice: resumeAdvice}
	if d.Problem != nil {
		u.Advice = s.Advice(d.Problem.Kind)
	}
	return u
}
