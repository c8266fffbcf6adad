package mcpserver

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

const (
	// around is how many events are shown before and after the one with the problem.
	around = 5
	// childLooks is how many children are looked at for the one that is stuck.
	childLooks = 50
	// overdue is how late a timer is that may have been lost: later than timers are.
	overdue = 5 * time.Minute
)

type instanceInput struct {
	Instance string `json:"instance" jsonschema:"id of the instance"`
}

// explanation says why an instance does not go on.
type explanation struct {
	Instance string `json:"instance"`
	Name     string `json:"name"`
	Version  string `json:"version,omitempty"`
	Status   string `json:"status"`
	// Summary is a sentence, Advice says what to do.
	Summary string `json:"summary"`
	Advice  string `json:"advice,omitempty"`
	// Problem has where code and history part, in Diff.
	Problem    *store.Problem    `json:"problem,omitempty"`
	NextTry    time.Time         `json:"next_try,omitzero"`
	Suspension *store.Suspension `json:"suspension,omitempty"`
	// Cause is what failed first, HandedOn how that came here, and CauseKey the key under which
	// list_failures has it.
	Cause    string         `json:"cause,omitempty"`
	HandedOn []api.HandedOn `json:"handed_on,omitempty"`
	CauseKey string         `json:"cause_key,omitempty"`
	Failure  *wire.Failure  `json:"failure,omitempty"`
	LoopedAt time.Time      `json:"looped_at,omitzero"`
	// Events around the one that the problem is about.
	Events        []api.Event `json:"events,omitempty"`
	HistoryUnread string      `json:"history_unread,omitempty"`
	// Children that do not go on, each with the path of instances that leads to it.
	Children []unwell `json:"children,omitempty"`
	// ChildrenUnseen: there are more than were looked at.
	ChildrenUnseen bool                   `json:"children_unseen,omitempty"`
	WaitingFor     []api.PendingOperation `json:"waiting_for,omitempty"`
	WaitingForMore int                    `json:"waiting_for_more,omitempty"`
	Overdue        []int64                `json:"overdue_timers,omitempty"`
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
	add(s, "explain_stuck", "Say why an instance does not go on: its problem with the difference between code and history, the events around it, and what to do; or which child, suspension, event or timer it waits for. Of a failed one: what failed first, down to the child or activity, and how it was handed on.",
		look("Explain why an instance is stuck"), s.explain)
}

const resumeAdvice = "`turnstile resume` lets it go on"

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
		out.Summary = fmt.Sprintf("it is stuck: %s", d.Problem.Kind)
		if d.Problem.Kind == store.ProblemCorrupt {
			out.Summary = "its history is damaged, and no code of it runs"
		}
		out.Advice = s.Advice(d.Problem.Kind)
		if d.Problem.NextMS > 0 {
			out.NextTry = time.UnixMilli(d.Problem.NextMS).UTC()
		}
		if d.Suspension != nil {
			out.Summary += "; and it is suspended"
			out.Advice += "; as it is suspended too, " + resumeAdvice + " after that"
		}
		s.eventsAround(ctx, c, out)
	case d.Status == client.StatusScheduled:
		out.Summary = "it is not stuck: it begins at " + time.UnixMilli(d.Suspension.UntilMS).UTC().Format(time.RFC3339)
		out.Advice = "`turnstile resume` lets it begin at once"
	case d.Status == client.StatusQueued:
		out.Summary = "it is not stuck: it waits for its turn under the limit " + strconv.Quote(d.Suspension.LimitKey)
		out.Advice = "`turnstile limit show KEY` says who runs and who waits, and whether the gate of the limit runs; `turnstile limit first` moves it to the front; `turnstile resume` lets it begin whatever the limit"
	case d.Suspension != nil:
		out.Summary, out.Advice = "it is suspended, and runs no code until it is resumed", resumeAdvice
	case d.Failure != nil:
		first, _ := api.CauseOf(&d)
		out.Summary = "it is not stuck: it has ended as " + of.Status + " because of " + first.Line()
		alike := ""
		if of.CauseKey != "" {
			alike = " (list_failures with cause " + of.CauseKey + " has all that failed alike)"
		}
		out.Advice = "fix the cause" + alike + "; then `turnstile redrive` lets it go on where it failed, and `turnstile rerun` starts it from the beginning"
	case d.Status.Terminal():
		out.Summary = "it is not stuck: it has ended as " + of.Status
	default:
		return out, s.explainWaiting(ctx, c, out)
	}
	return out, nil
}

// eventsAround adds the events around the problem, where the history can be read.
func (s *server) eventsAround(ctx context.Context, c *call, out *explanation) {
	if out.Problem.EventID == 0 {
		return
	}
	x, err := export(ctx, c, out.Instance, 0)
	if err != nil {
		out.HistoryUnread = s.Explain(err)
		return
	}
	// A problem may be about the event that is to come.
	from := min(out.Problem.EventID, x.Events[len(x.Events)-1].EventID) - around
	out.Events = eventsOf(x.Events, from, 2*around+1, false)
}

// explainWaiting says what an instance that runs waits for, and which of its
// children keep it.
func (s *server) explainWaiting(ctx context.Context, c *call, out *explanation) error {
	w, err := c.Waiting(ctx, out.Instance)
	if err != nil {
		return err
	}
	out.WaitingFor, out.WaitingForMore = operations(w.Open)
	for i := range w.Open {
		if o := &w.Open[i]; o.Kind == history.TimerCreated && !o.DueAt.IsZero() && s.Now().Sub(o.DueAt) > overdue {
			out.Overdue = append(out.Overdue, o.EventID)
		}
	}
	if err := s.children(ctx, c, out, w.Open); err != nil {
		return err
	}
	switch {
	case len(out.Children) > 0:
		out.Summary = "it is not stuck itself: it waits for a child that does not go on"
		out.Advice = "put the child right: see children"
	case len(out.Overdue) > 0:
		out.Summary = "it waits for a timer that is overdue, which may have been lost"
		out.Advice = "`turnstile wake` sends again all that it has open, which is harmless"
	case len(w.Open) == 0:
		out.Summary = "it is not marked as stuck, and waits for nothing that its history shows: its next turn is queued or under way"
		out.Advice = "look again in a minute; if nothing has changed, `turnstile wake`, and look for dead letters with `turnstile dead-letter list`"
	default:
		out.Summary = "it is not stuck: it runs, and waits for what waiting_for says"
	}
	if !out.LoopedAt.IsZero() {
		out.Summary += "; it was slowed because it goes on without a pause"
	}
	return nil
}

// parent is an instance whose open operations are looked through.
type parent struct {
	path []string
	open []client.PendingOperation
}

// children adds those that do not go on, level by level.
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
			w, err := c.Waiting(ctx, d.Instance)
			if err != nil {
				return err
			}
			next = append(next, parent{path, w.Open})
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
