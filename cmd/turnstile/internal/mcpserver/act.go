package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

type wakeInput struct {
	Instance string `json:"instance" jsonschema:"id of the instance"`
	DryRun   bool   `json:"dry_run,omitempty" jsonschema:"send nothing, and say what would be sent"`
}

type endInput struct {
	wakeInput
	Reason string `json:"reason,omitempty" jsonschema:"reason for the history, which people read"`
}

type raiseInput struct {
	wakeInput
	Event           string `json:"event" jsonschema:"name of the event; case counts"`
	Data            any    `json:"data,omitempty" jsonschema:"data of the event: any JSON"`
	Early           bool   `json:"early,omitempty" jsonschema:"send it though the instance has no record: it is started later"`
	DeduplicationID string `json:"deduplication_id,omitempty" jsonschema:"id that tells a repeat of this call, which is harmless, from another event; default a random one"`
}

type redriveInput struct {
	endInput
	As              string `json:"as,omitempty" jsonschema:"id of a new instance that goes on in its place, while the instance stays as it is; default the instance itself"`
	From            int64  `json:"from,omitempty" jsonschema:"event of the last execution from which on all happens again; default where it failed"`
	Reset           bool   `json:"reset,omitempty" jsonschema:"terminate an instance that has not ended, and have it go on"`
	DeduplicationID string `json:"deduplication_id,omitempty" jsonschema:"id that tells a repeat of this call, which is harmless, from another redrive; default a random one"`
}

type earlyInput struct {
	endInput
	EventID int64 `json:"event_id" jsonschema:"number of the event, in the current execution, that began to wait"`
}

type retryInput struct {
	wakeInput
	EventID int64 `json:"event_id" jsonschema:"number of the event, in the current execution, that scheduled the activity"`
}

type rerunInput struct {
	wakeInput
	Input           any    `json:"input,omitempty" jsonschema:"input to begin with: any JSON; default the one that the last execution began with"`
	Version         string `json:"version,omitempty" jsonschema:"version of the orchestration; default the newest that is deployed"`
	DeduplicationID string `json:"deduplication_id,omitempty" jsonschema:"id that tells a repeat of this call, which is harmless, from another rerun; default a random one"`
}

// acted says what was sent for an instance, or what would be.
type acted struct {
	Action   string `json:"action"`
	Instance string `json:"instance"`
	Sent     bool   `json:"sent"`
	DryRun   bool   `json:"dry_run,omitempty"`
	// Status of the instance, where it was looked at.
	Status string `json:"status,omitempty"`
	// Effect says what the action does.
	Effect string `json:"effect"`
	// DueAt is when what is not to wait is due by itself.
	DueAt time.Time `json:"due_at,omitzero"`
	// Attempt that is made now.
	Attempt int      `json:"attempt,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	// Plan of a redrive.
	Plan *api.Redriven `json:"plan,omitempty"`
	// StartID names the new execution, which comes after the execution After.
	StartID string `json:"start_id,omitempty"`
	After   int64  `json:"after,omitempty"`
}

// effects say what each action does, to the agent and to its person.
var effects = map[string]string{
	"raise_event": "the event is queued for the instance, which keeps it until its code waits for it",
	"wake":        "the instance tries again, and all that it has open (activities, timers, children) is sent again, which is harmless",
	"cancel":      "what the instance waits for returns an error that says it was cancelled, and its code can still clean up; children and running activities are told",
	"terminate":   "the instance ends at once without running its code, so that nothing is compensated; children and running activities are told",
	"suspend":     "the instance runs no code until it is resumed; what comes for it is recorded; activities that were begun go on",
	"resume":      "the instance takes what came while it was suspended, in its order",
	"fire_timer":  "the timer fires before it is due: a sleep returns, a wait with a timeout runs out; the history says so",
	"retry_now":   "the attempt that waits for the delay of its retry is made now, and not again when it is due",
	"redrive":     "the instance goes on where it failed, with the code that is deployed; what was completed stays completed",
	"rerun":       "the instance begins again from the beginning, and what was completed runs again",
}

// act are the annotations of an action.
func act(title string, destructive, idempotent bool) *mcp.ToolAnnotations {
	closed := false
	return &mcp.ToolAnnotations{Title: title, DestructiveHint: &destructive, IdempotentHint: idempotent, OpenWorldHint: &closed}
}

func (s *server) addActions() {
	describe := func(action, more string) string { return "Sends a request: " + effects[action] + "." + more }
	add(s, "raise_event", describe("raise_event", " An instance that has ended, or has no record, is an error, and nothing is sent."), act("Raise an event", false, false), s.raise)
	add(s, "wake", describe("wake", " For a stuck instance whose code is right now, or one that waits for something that was lost."), act("Wake an instance", false, true),
		func(ctx context.Context, c *call, in wakeInput) (any, error) {
			return s.end(ctx, c, "wake", endInput{wakeInput: in}, func(ctx context.Context, instance, _ string) error { return c.Wake(ctx, instance) })
		})
	for _, a := range []struct {
		name, title string
		destructive bool
		do          func(*call) func(context.Context, string, string) error
	}{
		{"cancel", "Cancel an instance", true, func(c *call) func(context.Context, string, string) error { return c.Cancel }},
		{"terminate", "Terminate an instance", true, func(c *call) func(context.Context, string, string) error { return c.Terminate }},
		{"suspend", "Suspend an instance", false, func(c *call) func(context.Context, string, string) error { return c.Suspend }},
		{"resume", "Resume an instance", false, func(c *call) func(context.Context, string, string) error { return c.Resume }},
	} {
		add(s, a.name, describe(a.name, ""), act(a.title, a.destructive, true),
			func(ctx context.Context, c *call, in endInput) (any, error) {
				return s.end(ctx, c, a.name, in, a.do(c))
			})
	}
	add(s, "fire_timer", describe("fire_timer", " dry_run returns when it is due."), act("Fire a timer early", true, true), s.fireTimer)
	add(s, "retry_now", describe("retry_now", " For an activity whose last attempt failed; dry_run returns when the next is due. A retry of an inline activity or a child waits for a timer: fire_timer."),
		act("Retry an activity now", false, true), s.retryNow)
	add(s, "redrive", describe("redrive", " For an instance that failed. dry_run returns the plan: what would be started anew."), act("Redrive an instance", true, false), s.redrive)
	add(s, "set_limit", "Changes how many attempts or instances with a key may run at a time, or begin in a span, without a deployment: "+limitEffect+". dry_run returns how it stands.",
		act("Set a limit", true, true), s.setLimit)
	add(s, "rerun", describe("rerun", " For an instance that has ended."), act("Run an instance again", true, false), s.rerun)
}

// end sends a request that has a reason and nothing else, or says what would
// become of it.
func (s *server) end(ctx context.Context, c *call, action string, in endInput, do func(ctx context.Context, instance, reason string) error) (any, error) {
	out := &acted{Action: action, Instance: in.Instance, DryRun: in.DryRun, Effect: effects[action]}
	if in.DryRun {
		return out, s.preview(ctx, c, out)
	}
	err := do(ctx, in.Instance, in.Reason)
	if errors.Is(err, client.ErrNoRecord) {
		out.Notes, err = append(out.Notes, noRecord), nil
	}
	out.Sent = err == nil
	return out, err
}

const noRecord = "the instance has no record: the request counts only if a start is queued"

// preview looks at the instance, and returns the error that the request would get.
func (s *server) preview(ctx context.Context, c *call, out *acted) error {
	d, err := c.Describe(ctx, out.Instance)
	gone, known := errors.AsType[*client.NotFoundError](err)
	switch {
	case known && !gone.FreeAt.IsZero():
		return err
	case errors.Is(err, client.ErrNotFound) && out.Action != "wake":
		out.Notes = append(out.Notes, s.Explain(err), noRecord)
		return nil
	case err != nil:
		return err
	case d.Status.Terminal() && out.Action != "wake":
		return &client.EndedError{Instance: out.Instance, Status: d.Status}
	}
	out.Status = string(d.Status)
	switch {
	case d.Status.Terminal():
		out.Notes = append(out.Notes, "it has ended: its end is sent again to a parent that waits for it, and no code runs")
	case out.Action == "terminate" && d.Status == client.StatusCorrupt:
		out.Notes = append(out.Notes, "its history is corrupt, so that there is no history to end: `turnstile purge --force` removes it")
	case out.Action == "resume" && d.Suspension == nil:
		out.Notes = append(out.Notes, "it is not suspended: the request would be recorded, and change nothing")
	case out.Action == "suspend" && d.Suspension != nil:
		out.Notes = append(out.Notes, "it is suspended already: one resume ends both")
	case out.Action == "cancel" && d.Suspension != nil:
		out.Notes = append(out.Notes, "it is suspended: the cancel takes effect when it is resumed")
	case out.Action == "wake" && d.Suspension != nil:
		out.Notes = append(out.Notes, "it is suspended: it runs no code until it is resumed")
	}
	return nil
}

func (s *server) raise(ctx context.Context, c *call, in raiseInput) (any, error) {
	data, err := c.payload("data")
	if err != nil {
		return nil, err
	}
	r := client.RaiseRequest{Instance: in.Instance, Name: in.Event, Data: data, DeduplicationID: in.DeduplicationID}
	out := &acted{Action: "raise_event", Instance: in.Instance, DryRun: in.DryRun, Effect: effects["raise_event"]}
	d, err := c.Describe(ctx, in.Instance)
	switch {
	case errors.Is(err, client.ErrNotFound) && in.Early:
		out.Notes = append(out.Notes, "the instance has no record: the event waits for its start, a quarter of an hour by default, and becomes a dead letter then")
	case errors.Is(err, client.ErrNotFound):
		return nil, fmt.Errorf("%w; the event was not sent. If its start is queued, try again in some seconds; early sends the event before it", err)
	case err != nil:
		return nil, err
	case d.Status.Terminal():
		return nil, fmt.Errorf("%w: the event would have no effect, and was not sent", &client.EndedError{Instance: in.Instance, Status: d.Status})
	default:
		out.Status = string(d.Status)
		notes, unknown := c.CheckRaise(ctx, r)
		if unknown != nil {
			notes = []string{"whether the instance waits for the event is not known: " + s.Explain(unknown)}
		}
		out.Notes = notes
	}
	if in.DryRun {
		return out, nil
	}
	err = c.Raise(ctx, r)
	out.Sent = err == nil
	return out, err
}

func (s *server) redrive(ctx context.Context, c *call, in redriveInput) (any, error) {
	if in.From < 0 {
		return nil, fmt.Errorf("from %d: the number of an event, from 1", in.From)
	}
	d, err := c.Redrive(ctx, client.RedriveRequest{Instance: in.Instance, As: in.As, From: in.From, Reason: in.Reason, Reset: in.Reset, DryRun: in.DryRun, DeduplicationID: in.DeduplicationID})
	if err != nil {
		return nil, err
	}
	plan := api.RedrivenOf(cmp.Or(in.As, in.Instance), &d)
	plan.StartID, plan.After = "", 0 // They stand beside the plan.
	out := &acted{Action: "redrive", Instance: in.Instance, Sent: !in.DryRun, DryRun: in.DryRun, Effect: effects["redrive"], Plan: &plan, StartID: d.StartID, After: d.After}
	shown, err := fit(plan.Again, len(plan.Again))
	if left := len(plan.Again) - shown; left > 0 {
		plan.Again = plan.Again[:shown]
		out.Notes = append(out.Notes, fmt.Sprintf("%d more are started anew that the plan does not show", left))
	}
	return out, err
}

func (s *server) fireTimer(ctx context.Context, c *call, in earlyInput) (any, error) {
	timer, err := c.OpenTimer(ctx, in.Instance, in.EventID)
	out := &acted{Action: "fire_timer", Instance: in.Instance, DryRun: in.DryRun, Effect: effects["fire_timer"], DueAt: timer.DueAt}
	if err != nil || in.DryRun {
		return out, err
	}
	err = c.FireTimer(ctx, in.Instance, in.EventID, in.Reason)
	out.Sent = err == nil
	return out, err
}

func (s *server) retryNow(ctx context.Context, c *call, in retryInput) (any, error) {
	next, err := c.NextAttempt(ctx, in.Instance, in.EventID)
	out := &acted{Action: "retry_now", Instance: in.Instance, DryRun: in.DryRun, Effect: effects["retry_now"], DueAt: next.DueAt, Attempt: next.Attempt}
	if err != nil || in.DryRun {
		return out, err
	}
	err = c.RetryNow(ctx, in.Instance, in.EventID)
	out.Sent = err == nil
	return out, err
}

func (s *server) rerun(ctx context.Context, c *call, in rerunInput) (any, error) {
	input, err := c.payload("input")
	if err != nil {
		return nil, err
	}
	out := &acted{Action: "rerun", Instance: in.Instance, DryRun: in.DryRun, Effect: effects["rerun"]}
	if in.DryRun {
		d, err := c.Describe(ctx, in.Instance)
		if err == nil && !d.Status.Terminal() {
			err = fmt.Errorf("instance %q is %s: a rerun is for instances that have ended, and nothing would be sent", in.Instance, d.Status)
		}
		out.Status = string(d.Status)
		return out, err
	}
	started, err := c.Rerun(ctx, client.RerunRequest{Instance: in.Instance, Input: input, Version: in.Version, DeduplicationID: in.DeduplicationID})
	out.Sent, out.StartID, out.After = err == nil, started.StartID, started.After
	return out, err
}
