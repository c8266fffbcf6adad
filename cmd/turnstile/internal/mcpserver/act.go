package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

type target struct {
	Instance string `json:"instance" jsonschema:"id of the instance"`
	DryRun   bool   `json:"dry_run,omitempty" jsonschema:"send nothing, and return what would be sent"`
}

type endInput struct {
	target
	Reason string `json:"reason,omitempty" jsonschema:"reason, recorded in the history for operators"`
}

type raiseInput struct {
	target
	Event           string `json:"event" jsonschema:"name of the event, case-sensitive"`
	Data            any    `json:"data,omitempty" jsonschema:"data of the event, any JSON"`
	Anyway          bool   `json:"anyway,omitempty" jsonschema:"send the event even if the check finds a wrong name or wrong data"`
	Early           bool   `json:"early,omitempty" jsonschema:"send the event even if the instance does not exist yet"`
	DeduplicationID string `json:"deduplication_id,omitempty" jsonschema:"deduplication id: repeated calls with the same id have no effect; default random"`
}

type updateInput struct {
	target
	Update          string `json:"update" jsonschema:"name of the update, case-sensitive"`
	Input           any    `json:"input,omitempty" jsonschema:"input of the update, any JSON"`
	Anyway          bool   `json:"anyway,omitempty" jsonschema:"send the update even if the check finds that the input is wrong"`
	DeduplicationID string `json:"deduplication_id,omitempty" jsonschema:"id of the update: repeated calls with the same id get the same answer; default random"`
}

type redriveInput struct {
	endInput
	As              string `json:"as,omitempty" jsonschema:"id of a new instance (a fork) that continues instead, while the instance itself does not change; default the instance itself"`
	From            int64  `json:"from,omitempty" jsonschema:"event of the last execution at which to continue: its operation and all later ones run again; default the failure"`
	Reset           bool   `json:"reset,omitempty" jsonschema:"terminate an instance that has not ended before redriving it"`
	DeduplicationID string `json:"deduplication_id,omitempty" jsonschema:"deduplication id: repeated calls with the same id have no effect; default random"`
}

type retryInput struct {
	target
	EventID int64 `json:"event_id" jsonschema:"number of the event in the current execution that created the timer or scheduled the activity"`
}

type earlyInput struct {
	retryInput
	Reason string `json:"reason,omitempty" jsonschema:"reason, recorded in the history for operators"`
}

type restartInput struct {
	target
	Input           any    `json:"input,omitempty" jsonschema:"new input, any JSON; default the input of the last execution"`
	Anyway          bool   `json:"anyway,omitempty" jsonschema:"send the request even if the check finds that the input is wrong"`
	Version         string `json:"version,omitempty" jsonschema:"version of the orchestration; default the newest deployed version"`
	DeduplicationID string `json:"deduplication_id,omitempty" jsonschema:"deduplication id: repeated calls with the same id have no effect; default random"`
}

// acted describes a request that was sent for an instance, or that a dry run would send.
type acted struct {
	Action   string `json:"action"`
	Instance string `json:"instance"`
	Sent     bool   `json:"sent"`
	DryRun   bool   `json:"dry_run,omitempty"`
	// Status of the instance, if the tool read it.
	Status string `json:"status,omitempty"`
	// Effect describes what the action does.
	Effect string `json:"effect"`
	// DueAt is the time at which the timer or the attempt would be due without the action.
	DueAt time.Time `json:"due_at,omitzero"`
	// Attempt is the number of the attempt that starts now.
	Attempt int `json:"attempt,omitempty"`
	// Update is the status of an update, with its id and its answer.
	Update *client.UpdateStatus `json:"update,omitempty"`
	Notes  []string             `json:"notes,omitempty"`
	// Plan of a redrive.
	Plan *client.Redriven `json:"plan,omitempty"`
	// StartID names the new execution, which comes after the execution After.
	StartID string `json:"start_id,omitempty"`
	After   int64  `json:"after,omitempty"`
}

// addAct adds the tool of an act.
func addAct[In any](s *server, row *acts.Row, run func(context.Context, *call, In) (any, error)) {
	closed := false
	description := strings.TrimSpace("Sends a request. " + row.Does + " " + row.Tool.When)
	add(s, row.Tool.Name, description, &mcp.ToolAnnotations{Title: row.Tool.Title, DestructiveHint: &row.Final, IdempotentHint: !row.Tool.Adds, OpenWorldHint: &closed}, run)
}

func (s *server) addActions() {
	addAct(s, acts.Raise.About(), s.raise)
	addAct(s, acts.Update.About(), s.update)
	addAct(s, acts.Redrive.About(), s.redrive)
	addAct(s, acts.Restart.About(), s.restart)
	addAct(s, acts.SetLimit.About(), s.setLimit)
	for _, act := range acts.All() {
		row := act.About()
		if row.Tool.Name == "" {
			continue
		}
		switch a := act.(type) {
		case *acts.Act[api.Nothing, api.Sent]:
			addAct(s, row, func(ctx context.Context, c *call, in target) (any, error) {
				return sends(ctx, s, c, a, in, api.Nothing{})
			})
		case *acts.Act[api.End, api.Sent]:
			addAct(s, row, func(ctx context.Context, c *call, in endInput) (any, error) {
				return sends(ctx, s, c, a, in.target, api.End{Reason: in.Reason})
			})
		case *acts.Act[api.Early, api.Sent]:
			if row.Reason {
				addAct(s, row, func(ctx context.Context, c *call, in earlyInput) (any, error) { return hurries(ctx, c, a, in) })
			} else {
				addAct(s, row, func(ctx context.Context, c *call, in retryInput) (any, error) {
					return hurries(ctx, c, a, earlyInput{retryInput: in})
				})
			}
		}
	}
}

// answering returns the answer to a call of an act's tool.
func answering(row *acts.Row, in target) *acted {
	return &acted{Action: row.Tool.Name, Instance: in.Instance, DryRun: in.DryRun, Effect: row.Does}
}

// sends sends a request without a dry run of its own. A dry run previews its effect instead.
func sends[In any](ctx context.Context, s *server, c *call, act *acts.Act[In, api.Sent], in target, request In) (any, error) {
	out := answering(act.About(), in)
	if in.DryRun {
		return out, s.preview(ctx, c, out)
	}
	_, err := act.Call(ctx, c, in.Instance, request)
	if errors.Is(err, client.ErrNoRecord) {
		out.Notes, err = append(out.Notes, noRecord), nil
	}
	out.Sent = err == nil
	return out, err
}

// hurries sends a request about an operation, after its dry run.
func hurries(ctx context.Context, c *call, act *acts.Act[api.Early, api.Sent], in earlyInput) (any, error) {
	plan, err := act.Call(ctx, c, in.Instance, api.Early{EventID: in.EventID, DryRun: true})
	out := answering(act.About(), in.target)
	out.DueAt, out.Attempt = plan.DueAt, plan.Attempt
	if err != nil || in.DryRun {
		return out, err
	}
	_, err = act.Call(ctx, c, in.Instance, api.Early{EventID: in.EventID, Reason: in.Reason})
	out.Sent = err == nil
	return out, err
}

const noRecord = "the instance does not exist: the request has an effect only if a start is queued"

// preview reads the instance, adds notes, and returns the error that the request would get.
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
		out.Notes = append(out.Notes, "the instance has ended: it resends its result to a waiting parent, and runs no code")
	case out.Action == "terminate" && d.Status == client.StatusCorrupt:
		out.Notes = append(out.Notes, "a corrupt instance cannot be terminated: `turnstile purge --force` removes it")
	case out.Action == "resume" && d.Suspension == nil:
		out.Notes = append(out.Notes, "the instance is not suspended: the request would be recorded and have no effect")
	case out.Action == "suspend" && d.Suspension != nil:
		out.Notes = append(out.Notes, "the instance is already suspended: one resume ends both suspends")
	case out.Action == "cancel" && d.Suspension != nil:
		out.Notes = append(out.Notes, "the instance is suspended: the cancel takes effect when it is resumed")
	case out.Action == "wake" && d.Suspension != nil:
		out.Notes = append(out.Notes, "the instance is suspended: its code does not run until it is resumed")
	}
	return nil
}

func (s *server) raise(ctx context.Context, c *call, in raiseInput) (any, error) {
	data, err := c.payload("data")
	if err != nil {
		return nil, err
	}
	out := answering(acts.Raise.About(), in.target)
	d, err := c.Describe(ctx, in.Instance)
	switch {
	case errors.Is(err, client.ErrNotFound) && in.Early:
		out.Notes = append(out.Notes, "the instance does not exist yet: the event waits for its start for 15 minutes by default, and then becomes a dead letter")
	case errors.Is(err, client.ErrNotFound):
		return nil, fmt.Errorf("%w; the event was not sent. If the start is queued, try again in a few seconds, or set early to send the event now", err)
	case err != nil:
		return nil, err
	case d.Status.Terminal():
		return nil, fmt.Errorf("%w: the event was not sent, because it would have no effect", &client.EndedError{Instance: in.Instance, Status: d.Status})
	default:
		out.Status = string(d.Status)
	}
	checked, unknown := acts.Raise.Call(ctx, c, in.Instance, api.Raise{Name: in.Event, Data: data, DryRun: true})
	if unknown != nil {
		checked.Notes = []string{"cannot check whether the instance waits for the event: " + s.Explain(unknown)}
	}
	out.Notes = append(out.Notes, checked.Notes...)
	if checked.Wrong && !in.Anyway {
		return nil, notSent(checked.Notes)
	}
	if in.DryRun {
		return out, nil
	}
	_, err = acts.Raise.Call(ctx, c, in.Instance, api.Raise{Name: in.Event, Data: data, SenderID: in.DeduplicationID})
	out.Sent = err == nil
	return out, err
}

// updateWait is how long the tool waits for the answer to an update, in seconds.
const updateWait = 20

func (s *server) update(ctx context.Context, c *call, in updateInput) (any, error) {
	input, err := c.payload("input")
	if err != nil {
		return nil, err
	}
	out := answering(acts.Update.About(), in.target)
	if checked, err := c.CheckData(ctx, api.Check{Kind: "update", Name: in.Update, Data: string(input)}); err == nil {
		for _, p := range checked.Problems {
			out.Notes = append(out.Notes, p.Text)
		}
	}
	if len(out.Notes) > 0 && !in.Anyway {
		return nil, notSent(out.Notes)
	}
	if in.DryRun {
		return out, s.preview(ctx, c, out)
	}
	status, err := acts.Update.Call(ctx, c, in.Instance, api.Update{WaitSeconds: updateWait,
		UpdateRequest: client.UpdateRequest{Name: in.Update, Input: input, DeduplicationID: in.DeduplicationID}})
	out.Sent, out.Update = err == nil, &status
	return out, err
}

// notSent returns the error for a request that the check rejected.
func notSent(problems []string) error {
	return fmt.Errorf("nothing was sent, because the check found a problem: %s; to send it nevertheless, set anyway", strings.Join(problems, "; "))
}

func (s *server) redrive(ctx context.Context, c *call, in redriveInput) (any, error) {
	if in.From < 0 {
		return nil, fmt.Errorf("from %d: must be an event number, from 1", in.From)
	}
	plan, err := acts.Redrive.Call(ctx, c, in.Instance, client.RedriveRequest{As: in.As, From: in.From, Reason: in.Reason, Reset: in.Reset, DryRun: in.DryRun, DeduplicationID: in.DeduplicationID})
	if err != nil {
		return nil, err
	}
	out := answering(acts.Redrive.About(), in.target)
	out.Sent, out.Plan, out.StartID, out.After = !in.DryRun, &plan, plan.StartID, plan.PreviousExecution
	plan.StartID, plan.PreviousExecution = "", 0 // The answer has them outside the plan.
	shown, err := fit(c, plan.Rescheduled, len(plan.Rescheduled))
	if left := len(plan.Rescheduled) - shown; left > 0 {
		plan.Rescheduled = plan.Rescheduled[:shown]
		out.Notes = append(out.Notes, fmt.Sprintf("%d more operations start again that the plan does not show", left))
	}
	return out, err
}

func (s *server) restart(ctx context.Context, c *call, in restartInput) (any, error) {
	input, err := c.payload("input")
	if err != nil {
		return nil, err
	}
	out := answering(acts.Restart.About(), in.target)
	if input != nil {
		if out.Notes = wrongInput(ctx, c, &in, input); len(out.Notes) > 0 && !in.Anyway {
			return nil, notSent(out.Notes)
		}
	}
	if in.DryRun {
		d, err := c.Describe(ctx, in.Instance)
		if err == nil && !d.Status.Terminal() {
			err = fmt.Errorf("instance %q is %s: only an ended instance can be restarted; nothing would be sent", in.Instance, d.Status)
		}
		out.Status = string(d.Status)
		return out, err
	}
	started, err := acts.Restart.Call(ctx, c, in.Instance, client.RestartRequest{Input: input, Version: in.Version, DeduplicationID: in.DeduplicationID})
	out.Sent, out.StartID, out.After = err == nil, started.StartID, started.PreviousExecution
	return out, err
}

// wrongInput returns the problems of a restart's input, if the code is known.
func wrongInput(ctx context.Context, c *call, in *restartInput, input []byte) (problems []string) {
	d, err := c.Describe(ctx, in.Instance)
	if err != nil {
		return nil // The restart itself reports it.
	}
	checked, err := c.CheckData(ctx, api.Check{Kind: "orchestration", Name: d.Name, Version: in.Version, Data: string(input)})
	if err != nil {
		return nil
	}
	for _, p := range checked.Problems {
		problems = append(problems, p.Text)
	}
	return problems
}
