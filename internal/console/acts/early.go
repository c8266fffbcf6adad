package acts

import (
	"context"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// onOperations lists the statuses of instances whose operations can be completed or started early.
var onOperations = []client.Status{client.StatusRunning, client.StatusStuck, client.StatusSuspended}

// FireTimer fires a timer before it is due.
var FireTimer = &Act[api.Early, api.Sent]{Row{
	Path: ofInstance + "fire-timer", Title: "Fire now", Sends: "Fire the timer", Final: true, Reason: true, Of: "timer", Verb: "fire",
	Summary: "Fire a timer before it is due.",
	Does:    "The timer fires before it is due: a sleep returns, and a wait with a timeout times out. The history records that it fired early. The clock of the instance does not change.",
	Tool:    Tool{Name: "fire_timer", Title: "Fire a timer early", When: "dry_run returns when the timer is due."},
	Command: Command{
		Name: "fire", Also: []string{"skip", "timer"}, On: onOperations,
		Short: "fire a timer before it is due",
		Long: `EVENT is the timer's event number or label; describe and timeline show both. A sleep returns,
and a wait with a timeout times out. The history records that the timer fired early. The
instance's clock does not change.`,
		Examples: []string{"turnstile fire order-17 12 --dry-run", `turnstile fire order-17 12 --reason 'the customer has paid by phone'`},
	},
}, func(ctx context.Context, on *On, in api.Early) (api.Sent, error) {
	if in.DryRun {
		timer, err := on.Client.OpenTimer(ctx, on.ID, in.EventID)
		return api.Sent{Instance: on.ID, DueAt: timer.DueAt}, err
	}
	return on.sent(on.Client.FireTimer(ctx, on.ID, in.EventID, in.Reason))
}}

// RetryNow starts the next attempt of an activity now.
var RetryNow = &Act[api.Early, api.Sent]{Row{
	Path: ofInstance + "retry-now", Title: "Retry now", Sends: "Retry the activity", Of: "activity", Verb: "start", Needs: "next",
	Summary: "Start the next attempt of an activity now, without waiting for its retry delay.",
	Does:    "The next attempt starts now instead of after its retry delay.",
	Tool: Tool{Name: "retry_now", Title: "Retry an activity now",
		When: "Use it for an activity whose last attempt failed; dry_run returns when the next one is due. The retry of an inline activity or of a child waits for a timer: use fire_timer."},
	Command: Command{
		Name: "retry", Also: []string{"retry-now", "retry-activity"}, On: onOperations,
		Short: "start the next attempt of a failing activity now",
		Long: `EVENT is the activity's event number; describe and timeline show it. The next attempt starts
now instead of at its scheduled time. An attempt that is due within ten seconds is not moved.
The retry of an inline activity or of a child waits for a timer: use fire. For a failed
instance, use redrive.`,
		Examples: []string{"turnstile retry order-17 5 --dry-run", "turnstile retry order-17 5"},
	},
}, func(ctx context.Context, on *On, in api.Early) (api.Sent, error) {
	if in.DryRun {
		next, err := on.Client.NextAttempt(ctx, on.ID, in.EventID)
		return api.Sent{Instance: on.ID, DueAt: next.DueAt, Attempt: next.Attempt}, err
	}
	return on.sent(on.Client.RetryNow(ctx, on.ID, in.EventID))
}}
