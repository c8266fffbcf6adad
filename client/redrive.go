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

// RedriveRequest selects the instance that [Client.Redrive] continues, and where it continues.
type RedriveRequest struct {
	// Instance id.
	Instance string `json:"-"`
	// As is the id of a new instance, a fork, that continues instead of this one. The original instance
	// does not change, and it need not have ended. If As is empty, the instance itself continues.
	As string `json:"as,omitempty"`
	// From is an event of the last execution. The operations that led to that event, and everything
	// after it, run again. 0 means the point where the instance failed.
	From int64 `json:"from,omitempty"`
	// Reason is recorded in the history.
	Reason string `json:"reason,omitempty"`
	// Reset terminates an instance that has not ended, and then continues it.
	Reset bool `json:"reset,omitempty"`
	// DryRun sends nothing; the call returns what the redrive would start again.
	DryRun bool `json:"dry_run,omitempty"`
	// DeduplicationID identifies this redrive, so that repeating it is harmless; empty for a random id.
	// It becomes the start id.
	DeduplicationID string `json:"start_id,omitempty"`
}

// Redriven describes what a redrive continues.
type Redriven struct {
	Started
	// CopiedEvents is how many events the next execution copies from the last one; 0 if it starts from
	// the beginning.
	CopiedEvents int64 `json:"copied_events"`
	// Kept is the number of results and external events that are kept although they came after the
	// copied events.
	Kept int `json:"kept"`
	// Rescheduled lists what is started again, as far as the history shows: an operation that the code
	// has cancelled since its last commit is listed, but is not started again.
	Rescheduled []RedrivenWork `json:"again"`
}

// Nothing reports whether the redrive starts no operations again. If so, only the code runs, with
// the results that it already had. Unchanged code then fails as before, for example because a saga
// has undone its steps.
func (d *Redriven) Nothing() bool { return d.CopiedEvents > 0 && len(d.Rescheduled) == 0 }

// RedrivenWork is an activity, a timer or a child that a redrive starts again.
type RedrivenWork struct {
	// EventID of the operation in the last execution.
	EventID int64        `json:"event_id"`
	Kind    history.Kind `json:"kind"`
	// Name of the activity or of the child's orchestration; Instance of the child.
	Name     string `json:"name,omitempty"`
	Instance string `json:"instance,omitempty"`
	// Why is one of
	//
	//   - "failed"
	//   - "open"
	//   - "completed": From is the completion of this operation.
	//   - "forgotten": the code starts the operation again. If it is an activity, a completion with a
	//     token of the last execution has no effect.
	//   - "taken": like "forgotten", for a child whose id the code chose. The instance with that id
	//     still exists, so the code gets already_exists unless it has UseExisting.
	Why string `json:"why"`
}

// RedriveError is returned if an instance cannot continue from an event. Nothing was sent.
type RedriveError struct {
	Instance    string
	ExecutionID int64
	// EventID is the From of the request; 0 for the point where the instance failed.
	EventID int64
	Problem string
	// Stuck is where the code of Config.App, or of [Client.WithApp], disagrees with the events to
	// be copied; nil if the error has another reason.
	Stuck *store.Problem
}

func (e *RedriveError) Error() string {
	return "turnstile: " + (&redriving.Error{Instance: e.Instance, ExecutionID: e.ExecutionID, EventID: e.EventID, Problem: e.Problem}).Error()
}

// maxKept is the maximum total size of the completions and external events that are kept, in bytes.
// They are committed in one transaction, which is limited to 4 MB, together with the next operations of
// the code.
const maxKept = 3 << 20

// Redrive continues an instance that failed, was cancelled or was terminated. The instance
// continues where it failed, in its next execution. That execution copies the history of the last
// one: completed work stays completed, failed and open operations are started again, and the
// deployed code continues from there. Redrive returns when its request is queued.
//
// The copied events are stored before the code is replayed against them, and open operations are
// started again only after the code agrees with those events. If the code disagrees, the instance
// is stuck, or fails again if its orchestration has FailWhenStuck. With Config.App this call
// replays that code first, in a dry run too, and returns a [*RedriveError] without sending
// anything. A redrive that cannot continue from the event becomes a dead letter with the reason
// redrive_refused.
//
// A failed activity gets a new idempotency key. An open activity keeps its key, and its token from
// the last execution still completes it. Children that failed continue where they failed; a timer
// has its remaining time. Messages that were sent to others (events, detached starts) are not sent
// again. A parent that waited for the instance already has the earlier result; it is not notified
// again.
//
// With As, another instance copies the history and continues, and this one does not change. The two
// share no open operations: the fork has its own activities, timers, tokens and children, and its
// children copy the histories of the children of the instance. The fork does not need the instance
// afterwards, so the instance can be redriven, restarted or purged. For operations that were open the
// fork uses the same idempotency keys as the instance. A child whose id the code chose is not forked:
// the fork starts a child with that id, subject to the options of its declaration.
//
// Redrive reads the record and the history of the last execution. With As it also reads the record
// with that id.
//
// Errors:
//
//   - [*NotFoundError].
//   - [*StillRunningError] without Reset or As.
//   - [*RedriveError] if the instance completed and From is 0, if it has no event From, if the results
//     and external events that are kept have more than 3 MB, or if the code of Config.App disagrees
//     with the history.
//   - [*turnstile.InvalidArgumentError] for an As that is invalid, is the id of the instance itself, or
//     comes with Reset; and for a negative From.
//   - An error that wraps a [*codec.UnknownError] if the history is encoded under a key that no longer
//     exists. Only a client that has a codec itself, or shares its process with the orchestrator,
//     checks that.
//   - [*AlreadyExistsError] and [*PurgedError] if the id As is in use, in a dry run too. A repeat
//     with the DeduplicationID of a fork that was started returns neither, even if the instance has
//     been purged since.
//   - Those of [Client.Start].
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
		return Redriven{}, &StillRunningError{Instance: r.Instance, Status: d.Status, restart: true}
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
	result.Started = Started{Instance: r.Instance, StartID: start.ID, PreviousExecution: d.ExecutionID}
	err = c.intercepted(ctx, "redrive", start, nil, func(ctx context.Context, item wire.Item) error {
		if d.Status.Terminal() {
			return c.send(ctx, item)
		}
		// The terminate names the execution that it ends, so that a second delivery does not end the
		// next one.
		end := wire.Item{Kind: wire.TerminateInstance, Instance: item.Instance, ExecutionID: d.ExecutionID, ID: item.ID, Reason: "reset", Actor: item.Actor}
		return c.sendAll(ctx, end, item)
	})
	if err != nil {
		return Redriven{}, err
	}
	return result, nil
}

// check validates the request before anything is read, so that a dry run reports the same errors.
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
		return wrong("As", "is the instance itself; leave it empty to redrive the instance, or choose another id")
	case r.Reset:
		return wrong("As", "starts a fork, which does not change the instance; leave Reset out")
	}
	return validInstance(r.As)
}

// fork continues an instance as another instance. It reads the record under the new id first: a
// fork that was started no longer needs the original instance, so a repeated call must not need it
// either.
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

// planRedrive determines what a redrive would continue.
func (c *Client) planRedrive(ctx context.Context, d *Description, r *RedriveRequest) (Redriven, error) {
	turns, execution, err := c.read(ctx, *d, 0)
	if err != nil {
		return Redriven{}, err
	}
	if err := c.canOpen(turns); err != nil {
		return Redriven{}, fmt.Errorf("turnstile: instance %q execution %d cannot be redriven; nothing was sent: %w", r.Instance, execution, err)
	}
	d.ExecutionID = execution
	var events []history.Event
	var cancelled []redriving.Cancelled
	for i := range turns {
		events = append(events, turns[i].Events...)
		cancelled = append(cancelled, redriving.Cancelled{Events: turns[i].Cancelled, By: turns[i].Last()})
	}
	if !d.Status.Terminal() {
		events = redriving.AsEnded(events) // The plan treats the instance as ended, by the terminate of a reset or for a fork.
	}
	p, err := redriving.From(r.Instance, execution, events, redriving.Request{Instance: r.As, From: r.From, ExecutionID: execution + 1, Cancelled: cancelled})
	if refused, is := errors.AsType[*redriving.Error](err); is {
		return Redriven{}, &RedriveError{Instance: r.Instance, ExecutionID: execution, EventID: r.From, Problem: refused.Problem}
	}
	if size := len(history.Encode(p.With)); size > maxKept {
		return Redriven{}, &RedriveError{Instance: r.Instance, ExecutionID: execution, EventID: r.From,
			Problem: fmt.Sprintf("%d bytes of results and external events after that event would be kept, more than %d; %s", size, maxKept, insteadOf(p))}
	}
	if err := c.rehearse(r, execution, p.Prefix); err != nil {
		return Redriven{}, err
	}
	var completed int64 // the event that From completes, if From is a completion
	if r.From > 0 && redriving.Succeeds(events[r.From-1].Kind) {
		completed = events[r.From-1].SourceEventID
	}
	result := Redriven{CopiedEvents: int64(len(p.Prefix)), Kept: len(p.With)}
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
			result.Rescheduled = append(result.Rescheduled, RedrivenWork{EventID: id, Kind: e.Kind, Name: e.Name, Instance: e.Instance, Why: why})
		}
	}
	return result, nil
}

// canOpen returns a [*codec.UnknownError] for a history that was encoded by a codec, or under a
// key, that the client does not have. It checks only if the client has the orchestrator's codecs,
// that is, if the client itself encodes or if both run in one process. Operators need no keys.
func (c *Client) canOpen(turns []store.Turn) error {
	sample, err := c.cfg.Codecs.EncodeItem(wire.Item{Input: []byte("0")})
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

// rehearse returns a [*RedriveError] if the code of Config.App disagrees with the events that a redrive
// would copy. Without the code or without a key it returns nil, and the orchestrator detects the
// disagreement.
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
	of := rehearsal.Of{Instance: cmp.Or(r.As, r.Instance), ExecutionID: execution + 1, NowMS: c.cfg.Clock.Now().UnixMilli(), Encoded: c.cfg.Codecs != nil}
	stuck, err := rehearsal.Run(c.cfg.App.Orchestrations(), of, opened)
	if stuck == nil || err != nil {
		return err
	}
	return &RedriveError{Instance: r.Instance, ExecutionID: execution, EventID: r.From, Stuck: stuck,
		Problem: fmt.Sprintf("the code disagrees with the %d events to be copied; fix the code, name an earlier event, or restart the instance: %s", len(prefix), stuck.Message)}
}

// insteadOf returns advice for a redrive that would keep too much. External events after the event From
// are kept; those before it are copied.
func insteadOf(p *redriving.Plan) string {
	came := slices.DeleteFunc(slices.Clone(p.With), func(e history.Event) bool { return e.Kind != history.ExternalEvent })
	if len(history.Encode(came)) > maxKept {
		return "restart it, or name a later event"
	}
	return "restart it, or name an earlier event"
}
