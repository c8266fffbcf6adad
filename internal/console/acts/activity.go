package acts

import (
	"context"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Complete completes a pending activity.
var Complete = &Act[api.CompleteActivity, api.Sent]{Row{
	Path: "activities/complete", Title: "Complete an activity", Final: true,
	Summary: "Complete a pending activity, by its token or by its event.",
	Does:    "A pending activity, named by its token or by its event, completes with the result. Only the first completion has an effect.",
}, func(ctx context.Context, on *On, in api.CompleteActivity) (api.Sent, error) {
	return on.pending(ctx, &in.PendingActivity, func(token string) error { return on.Client.Complete(ctx, token, in.Result) })
}}

// Fail fails a pending activity.
var Fail = &Act[api.FailActivity, api.Sent]{Row{
	Path: "activities/fail", Title: "Fail an activity", Final: true,
	Summary: "Fail a pending activity, by its token or by its event.",
	Does:    "A pending activity, named by its token or by its event, fails permanently: it is not retried.",
}, func(ctx context.Context, on *On, in api.FailActivity) (api.Sent, error) {
	if in.Message == "" {
		return api.Sent{}, api.Errorf(api.CodeInvalid, "message is empty: give the reason for the failure")
	}
	return on.pending(ctx, &in.PendingActivity, func(token string) error { return on.Client.Fail(ctx, token, &givenFailure{in}) })
}}

// Heartbeat sends a heartbeat for a pending activity.
var Heartbeat = &Act[api.HeartbeatActivity, api.Sent]{Row{
	Path: "activities/heartbeat", Title: "Send a heartbeat",
	Summary: "Record a heartbeat of a pending activity.",
	Does:    "The heartbeat timeout of a pending activity, named by its token or by its event, restarts.",
}, func(ctx context.Context, on *On, in api.HeartbeatActivity) (api.Sent, error) {
	return on.pending(ctx, &in.PendingActivity, func(token string) error { return on.Client.Heartbeat(ctx, token, in.Details) })
}}

// pending acts on a pending activity by its token.
func (on *On) pending(ctx context.Context, of *api.PendingActivity, do func(token string) error) (api.Sent, error) {
	token, err := on.Token(ctx, of)
	if err == nil {
		err = do(token)
	}
	at := On{ID: of.Instance}
	return at.sent(err)
}

// givenFailure is a failure as the request gave it.
type givenFailure struct{ api.FailActivity }

func (f *givenFailure) Error() string { return f.Message }

// Failure is what is recorded.
func (f *givenFailure) Failure() *history.Failure {
	return &history.Failure{Kind: history.FailureApplication, Message: f.Message, Code: f.Code, Details: f.Details}
}
