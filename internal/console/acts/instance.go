package acts

import (
	"cmp"
	"context"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Start starts an instance.
var Start = &Act[client.StartRequest, client.Started]{Row{
	Path: "instances", Title: "Start", Does: "A new instance starts.",
	Summary: "Start an instance.",
}, func(ctx context.Context, on *On, in client.StartRequest) (client.Started, error) {
	return on.Client.Start(ctx, in)
}}

// Raise raises an external event.
var Raise = &Act[api.Raise, api.Sent]{Row{
	Path: ofInstance + "raise", Title: "Raise an event",
	Summary: "Raise an external event for an instance.",
	Does:    "The event is queued for the instance, which keeps it until its code waits for it.",
	Tool:    Tool{Name: "raise_event", Title: "Raise an event", Adds: true, When: "If the instance has ended or does not exist, the tool returns an error and sends nothing."},
}, func(ctx context.Context, on *On, in api.Raise) (api.Sent, error) {
	event := client.RaiseRequest{Instance: on.ID, Name: in.Name, DeduplicationID: in.SenderID, Data: in.Data}
	if !in.DryRun {
		return on.sent(on.Client.Raise(ctx, event))
	}
	check, err := on.Client.ValidateRaise(ctx, event)
	if err != nil {
		return api.Sent{}, err
	}
	notes, wrong := on.CheckEvent(ctx, &check, &in)
	return api.Sent{Instance: on.ID, Notes: append(check.Notes(), notes...), Wrong: wrong || check.Data != nil}, nil
}}

// Reschedule changes the time at which an instance starts or continues by itself.
var Reschedule = &Act[api.Reschedule, api.Sent]{Row{
	Path: ofInstance + "reschedule", Title: "Reschedule",
	Summary: "Change the time at which a scheduled instance starts, or a suspended one continues.",
	Does:    "The instance starts, or continues, at that time. To start it immediately, resume it; to discard it, terminate it.",
}, func(ctx context.Context, on *On, in api.Reschedule) (api.Sent, error) {
	return on.sent(on.Client.Reschedule(ctx, on.ID, in.At))
}}

// Redrive continues an ended instance where it failed, or forks an instance.
var Redrive = &Act[client.RedriveRequest, client.Redriven]{Row{
	Path: ofInstance + "redrive", Title: "Redrive", Many: true, Reason: true, Final: true,
	Summary: "Redrive an ended instance: it continues where it failed, or from an event.",
	Does:    "The instance continues where it failed, with the deployed code; completed operations keep their results.",
	Tool:    Tool{Name: "redrive", Title: "Redrive an instance", When: "Use it for a failed instance. dry_run returns the plan: the operations that would start again.", Adds: true},
}, func(ctx context.Context, on *On, in client.RedriveRequest) (client.Redriven, error) {
	in.Instance = on.ID
	d, err := on.Client.Redrive(ctx, in)
	d.Instance = cmp.Or(in.As, on.ID)                                 // also of a dry run
	d.Rescheduled = append([]client.RedrivenWork{}, d.Rescheduled...) // an array in JSON, also if it is empty
	return d, err
}}

// Restart restarts an ended instance.
var Restart = &Act[client.RestartRequest, client.Started]{Row{
	Path: ofInstance + "restart", Title: "Restart", Many: true, Final: true,
	Summary: "Restart an ended instance from the beginning.",
	Does:    "The instance restarts from the beginning, with the input of its last execution and the newest deployed version. Completed operations run again. A parent that waited for it keeps the earlier result.",
	Tool:    Tool{Name: "restart", Title: "Restart an instance", When: "Use it for an instance that has ended.", Adds: true},
}, func(ctx context.Context, on *On, in client.RestartRequest) (client.Started, error) {
	in.Instance = on.ID
	return on.Client.Restart(ctx, in)
}}

// Purge purges an instance.
var Purge = &Act[api.Purge, api.Sent]{Row{
	Path: ofInstance + "purge", Title: "Purge", Many: true, Final: true, Destroys: true,
	Summary: "Purge an ended instance.",
	Does:    "The instance is hidden immediately and its history is deleted. The id cannot be reused for 15 days. This cannot be undone.",
}, func(ctx context.Context, on *On, in api.Purge) (api.Sent, error) {
	if in.DryRun {
		children, err := on.Client.Descendants(ctx, on.ID)
		out := api.Sent{Instance: on.ID}
		for i := range children {
			out.Children = append(out.Children, children[i].Instance)
		}
		return out, err
	}
	var options []client.PurgeOption
	if in.Force {
		options = append(options, client.Force())
	}
	if in.Children {
		options = append(options, client.WithChildren())
	}
	return on.sent(on.Client.Purge(ctx, on.ID, options...))
}}
