package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/redriving"
	"github.com/turnstile-go/turnstile/internal/rehearsal"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// RedriveRequest is what [Client.Redrive] has go on.
type RedriveRequest struct {
	// Instance id.
	Instance string
	// As is the id of a new instance that goes on in place of the instance: a fork. The
	// instance stays as it is, also if it has not ended. Empty for the instance itself.
	As string
	// From is an event of the last execution: what led to it happens again, and all behind
	// it. 0 for where the instance failed.
	From int64
	// Reason for the history.
	Reason string
	// Reset terminates an instance that has not ended, and then has it go on.
	Reset bool
	// DryRun sends nothing, and returns what would be started anew.
	DryRun bool
	// DeduplicationID tells a repeat of this redrive, which is harmless, from another one;
	// empty for a random one. It becomes the start id.
	DeduplicationID string
}

// Redriven says what a redrive has go on.
type Redriven struct {
	Started
	// TakenOver is how many events the next execution takes over from the last one; 0 where
	// it begins from the beginning.
	TakenOver int64
	// Kept are the results and external events behind those that stay.
	Kept int
	// Again is what is started anew, as far as the history tells: operations that the code
	// has cancelled since its last commit are among it, and are not.
	Again []RedrivenWork
}

// RedrivenWork is an activity, a timer or a child that a redrive starts anew.
type RedrivenWork struct {
	// EventID in the last execution.
	EventID int64
	Kind    history.Kind
	// Name of the activity or the child's orchestration, Instance of the child.
	Name, Instance string
	// Why is "failed"; "open"; "completed", if the event that was asked for is its completion;
	// "forgotten" for what the code is to ask for again, and what completes such an activity by a
	// token of the last execution is late; or "taken" for such a child with an id
	// that the code chose: the instance that has the id is still there, so the code gets
	// already_exists unless it has UseExisting.
	Why string
}

// RedriveError says why an instance cannot go on from an event. Nothing was sent.
type RedriveError struct {
	Instance    string
	ExecutionID int64
	// EventID that was asked for; 0 for where it failed.
	EventID int64
	Problem string
	// Stuck is where the code of Config.App, or of [Client.WithApp], does not follow what is
	// to be taken over; nil where that is not the reason.
	Stuck *store.Problem
}

func (e *RedriveError) Error() string {
	return "turnstile: " + (&redriving.Error{Instance: e.Instance, ExecutionID: e.ExecutionID, EventID: e.EventID, Problem: e.Problem}).Error()
}

// maxKept is how many bytes the completions and external events may have that came later and
// stay: they are committed in one transaction, which holds 4 MB, with what the code does next.
const maxKept = 3 << 20

// Redrive has an instance that failed, or was cancelled or terminated, go on where it
// failed, in its next execution. That takes the history of the last one over: what was
// completed stays completed, what failed or was open is started anew, and the code that is
// deployed goes on from there. It returns when the redrive is queued.
//
// The code is replayed against what is taken over. If it disagrees, nothing is changed: the
// code of Config.App at this call, which returns a [*RedriveError], also of a dry run; else
// that of the orchestrator, and the redrive becomes a dead letter of the reason redrive_refused.
//
// What had failed gets a new idempotency key; what was open keeps the one that it had, and
// what completes it through a token of the last execution completes it. Children that failed
// go on where they did; a timer has what is left of its time. What was sent to others
// (events, detached starts) is not sent again. A parent that waited for the instance has
// been told how it ended, and is told nothing more.
//
// With As another instance goes on, which takes over the same, and this one stays as it is.
// The two share nothing that is open: the fork has its own activities, timers, tokens and
// children, and its children take over what those of the instance have done. It needs the
// instance no more: that can be redriven, rerun or purged. It has the idempotency keys that
// the instance has, for what was open. A child whose id the code chose is not forked: the
// fork asks for that id, as its declaration says.
//
// It reads the record and the history of the last execution, and the record of As.
//
// Errors: [*NotFoundError]; [*StillRunningError] without Reset or As; [*RedriveError] if the
// instance has completed and no event is given, if it has no such event, if the results and
// external events that came later and stay have more than 3 MB, or if the code of Config.App disagrees with it; [*turnstile.InvalidArgumentError] for As with an
// invalid id, the id of the instance itself, or Reset, and for a From below 0; one that
// wraps a [*codec.UnknownError] if the history is sealed under a key that is gone, as far as
// the client seals itself, or shares its process with the orchestrator; [*AlreadyExistsError] and [*PurgedError] for As, also of a dry run; those of
// [Client.Start]. A repeat with the DeduplicationID of a fork that was begun is none, also if
// the instance has been purged since.
func (c *Client) Redrive(ctx context.Context, r RedriveRequest) (Redriven, error) {
	if err := r.check(); err != nil {
		return Redriven{}, err
	}
	if r.As != "" {
		return c.fork(ctx, &r)
	}
	d, err := c.Describe(ctx, r.Instance)
	if err != nil {
		return Redriven{}, err
	}
	if r.DeduplicationID != "" && r.DeduplicationID == d.StartID {
		return Redriven{Started: Started{Instance: r.Instance, StartID: d.StartID}}, nil
	}
	if !d.Status.Terminal() && !r.Reset {
		return Redriven{}, &StillRunningError{Instance: r.Instance, Status: d.Status, rerun: true}
	}
	result, err := c.planRedrive(ctx, &d, &r)
	if err != nil || r.DryRun {
		return result, err
	}
	start, err := c.startItem(&StartRequest{Name: d.Name, Instance: r.Instance, DeduplicationID: r.DeduplicationID})
	if err != nil {
		return Redriven{}, err
	}
	start.OnConflict, start.Reason = wire.ConflictRedrive, r.Reason
	start.Origin = &history.Origin{Instance: r.Instance, ExecutionID: d.ExecutionID, EventID: r.From}
	result.Started = Started{Instance: r.Instance, StartID: start.ID, After: d.ExecutionID}
	err = c.intercepted(ctx, "redrive", start, nil, func(ctx context.Context, item wire.Item) error {
		if d.Status.Terminal() {
			return c.send(ctx, item)
		}
		// It names the execution that it ends: a second delivery of it is none of the next one's.
		end := wire.Item{Kind: wire.TerminateInstance, Instance: item.Instance, ExecutionID: d.ExecutionID, ID: item.ID, Reason: "reset", Actor: item.Actor}
		return c.sendAll(ctx, end, item)
	})
	if err != nil {
		return Redriven{}, err
	}
	return result, nil
}

// check returns what is wrong with a request, ahead of any read; so a dry run says it too.
func (r *RedriveRequest) check() error {
	wrong := func(argument, problem string) error {
		return &turnstile.InvalidArgumentError{Call: "Redrive", Argument: argument, Problem: problem}
	}
	switch {
	case r.From < 0:
		return wrong("From", fmt.Sprintf("is %d; give the number of an event, from 1, or 0 for where the instance failed", r.From))
	case r.As == "":
		return nil
	case r.As == r.Instance:
		return wrong("As", "is the instance itself; leave it empty to redrive that, or choose another id")
	case r.Reset:
		return wrong("As", "is for a fork, which leaves the instance as it is; leave Reset out")
	}
	return validInstance(r.As)
}

// fork has another instance go on in place of one. What stands under the id is looked at
// first: a fork that was begun needs the instance no more, and its repeat does neither.
func (c *Client) fork(ctx context.Context, r *RedriveRequest) (Redriven, error) {
	switch found, err := c.cfg.Store.Describe(ctx, r.As); {
	case errors.Is(err, store.ErrNotFound), err == nil && found.Free(c.cfg.Clock.Now()):
	case err != nil:
		return Redriven{}, err
	case found.Purged:
		return Redriven{}, &PurgedError{Instance: r.As, FreeAt: found.FreeAt}
	case r.DeduplicationID != "" && found.KnowsStart(r.DeduplicationID):
		return Redriven{Started: Started{Instance: r.As, StartID: r.DeduplicationID}}, nil
	default:
		return Redriven{}, alreadyExists(&found)
	}
	d, err := c.Describe(ctx, r.Instance)
	if err != nil {
		return Redriven{}, err
	}
	result, err := c.planRedrive(ctx, &d, r)
	if err != nil || r.DryRun {
		return result, err
	}
	start, err := c.startItem(&StartRequest{Name: d.Name, Instance: r.As, DeduplicationID: r.DeduplicationID})
	if err != nil {
		return Redriven{}, err
	}
	start.Reason = r.Reason
	start.Origin = &history.Origin{Instance: r.Instance, ExecutionID: d.ExecutionID, EventID: r.From}
	err = c.intercepted(ctx, "redrive", start, nil, func(ctx context.Context, item wire.Item) error {
		result.Started, err = c.start(ctx, &StartRequest{}, item)
		return err
	})
	if err != nil {
		return Redriven{}, err
	}
	return result, nil
}

// planRedrive finds out what a redrive would have go on.
func (c *Client) planRedrive(ctx context.Context, d *Description, r *RedriveRequest) (Redriven, error) {
	turns, execution, err := c.read(ctx, *d, 0)
	if err != nil {
		return Redriven{}, err
	}
	if err := c.canOpen(turns); err != nil {
		return Redriven{}, fmt.Errorf("turnstile: instance %q execution %d cannot be redriven, nothing was sent: %w", r.Instance, execution, err)
	}
	d.ExecutionID = execution
	var events []history.Event
	var cancelled []redriving.Cancelled
	for i := range turns {
		events = append(events, turns[i].Events...)
		cancelled = append(cancelled, redriving.Cancelled{Events: turns[i].Cancelled, By: turns[i].Last()})
	}
	if !d.Status.Terminal() {
		events = redriving.AsEnded(events) // By the terminate of a reset, or for a fork.
	}
	p, err := redriving.From(r.Instance, execution, events, redriving.Request{Instance: r.As, From: r.From, ExecutionID: execution + 1, Cancelled: cancelled})
	if refused, is := errors.AsType[*redriving.Error](err); is {
		return Redriven{}, &RedriveError{Instance: r.Instance, ExecutionID: execution, EventID: r.From, Problem: refused.Problem}
	}
	if size := len(history.Encode(p.With)); size > maxKept {
		return Redriven{}, &RedriveError{Instance: r.Instance, ExecutionID: execution, EventID: r.From,
			Problem: fmt.Sprintf("%d bytes of results and external events came after that and stay, more than %d; %s", size, maxKept, insteadOf(p))}
	}
	if err := c.rehearse(r, execution, p.Prefix); err != nil {
		return Redriven{}, err
	}
	var completed int64 // what the event completes that was asked for
	if r.From > 0 && redriving.Succeeds(events[r.From-1].Kind) {
		completed = events[r.From-1].SourceEventID
	}
	result := Redriven{TakenOver: int64(len(p.Prefix)), Kept: len(p.With)}
	for _, again := range []struct {
		why string
		ids []int64
	}{{"failed", p.Failed}, {"open", p.Open}, {"forgotten", p.Forgotten}} {
		for _, id := range again.ids {
			e := &events[id-1]
			if again.why == "forgotten" && !redriving.Stoppable(e.Kind) {
				continue
			}
			why := again.why
			switch {
			case why == "forgotten" && e.ExplicitID && !e.UseExisting:
				why = "taken"
			case why == "failed" && id == completed:
				why = "completed"
			}
			result.Again = append(result.Again, RedrivenWork{EventID: id, Kind: e.Kind, Name: e.Name, Instance: e.Instance, Why: why})
		}
	}
	return result, nil
}

// canOpen returns a [*codec.UnknownError] for a history that was sealed by a codec, or under a
// key, that the client lacks. It asks only where the client has what the orchestrator has: it
// seals, or both are in one process. Operators need no keys.
func (c *Client) canOpen(turns []store.Turn) error {
	sample, err := c.cfg.Codecs.SealItem(wire.Item{Input: []byte("0")})
	if err != nil {
		return err
	}
	if sample.Codec == "" && c.cfg.Changed == nil {
		return nil
	}
	for i := range turns {
		if _, err := c.cfg.Codecs.OpenEvents(turns[i].Instance, turns[i].ExecutionID, turns[i].Events); err != nil {
			return err
		}
	}
	return nil
}

// rehearse returns a [*RedriveError] if the code of Config.App does not follow what a redrive is
// to take over. Without the code, or a key, that is for the orchestrator to find out.
func (c *Client) rehearse(r *RedriveRequest, execution int64, prefix []history.Event) error {
	if c.cfg.App == nil || len(prefix) == 0 {
		return nil
	}
	opened, err := c.cfg.Codecs.OpenEvents(r.Instance, execution, prefix)
	if _, missing := errors.AsType[*codec.UnknownError](err); missing {
		return nil
	}
	if err != nil {
		return err
	}
	of := rehearsal.Of{Instance: cmp.Or(r.As, r.Instance), ExecutionID: execution + 1, NowMS: c.cfg.Clock.Now().UnixMilli(), Sealed: c.cfg.Codecs != nil}
	stuck, err := rehearsal.Run(c.cfg.App.Orchestrations(), of, opened)
	if stuck == nil || err != nil {
		return err
	}
	return &RedriveError{Instance: r.Instance, ExecutionID: execution, EventID: r.From, Stuck: stuck,
		Problem: fmt.Sprintf("the code disagrees with the %d events to be taken over; fix it, name an earlier event, or rerun the instance: %s", len(prefix), stuck.Message)}
}

// insteadOf is what can be done in place of a redrive that would keep too much. External events
// behind the event from which it is stay; those ahead of it are taken over.
func insteadOf(p *redriving.Plan) string {
	came := slices.DeleteFunc(slices.Clone(p.With), func(e history.Event) bool { return e.Kind != history.ExternalEvent })
	if len(history.Encode(came)) > maxKept {
		return "rerun it, or name a later event"
	}
	return "rerun it, or name an earlier event"
}
