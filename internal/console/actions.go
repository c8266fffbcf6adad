package console

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// as is the client on behalf of whoever sent the request.
func (h *handler) as(r *http.Request) *client.Client {
	if actor := h.actorOf(r); actor != "" || h.actor != nil {
		return h.client.WithActor(actor)
	}
	return h.client
}

// actorOf is on whose behalf a request acts; empty if nobody says.
func (h *handler) actorOf(r *http.Request) string {
	if h.actor == nil {
		return r.Header.Get(ActorHeader)
	}
	return h.actor(r)
}

func (h *handler) start(r *request, in api.Start) (api.Started, error) {
	s := client.StartRequest{
		Name: in.Name, Version: in.Version, Instance: in.Instance, DeduplicationID: in.StartID, Input: in.Input,
		SearchAttributes: in.SearchAttributes, Headers: in.Headers, UseExisting: in.UseExisting, BeginAgain: in.BeginAgain, NotBefore: in.NotBefore, LimitKey: in.LimitKey, Limit: in.Limit,
	}
	for _, e := range in.Events {
		s.Events = append(s.Events, wire.StartEvent{Name: e.Name, Data: e.Data})
	}
	started, err := h.as(r.Request).Start(r.Context(), s)
	return api.Started{Instance: started.Instance, StartID: started.StartID, After: started.After}, err
}

func (h *handler) rerun(r *request, in api.Rerun) (api.Started, error) {
	started, err := h.as(r.Request).Rerun(r.Context(), client.RerunRequest{
		Instance: r.vars["id"], Input: in.Input, Version: in.Version, DeduplicationID: in.StartID})
	return api.Started{Instance: started.Instance, StartID: started.StartID, After: started.After}, err
}

func (h *handler) redrive(r *request, in api.Redrive) (api.Redriven, error) {
	d, err := h.as(r.Request).Redrive(r.Context(), client.RedriveRequest{Instance: r.vars["id"], As: in.As, From: in.From, Reason: in.Reason,
		Reset: in.Reset, DryRun: in.DryRun, DeduplicationID: in.StartID})
	return api.RedrivenOf(cmp.Or(in.As, r.vars["id"]), &d), err
}

func (h *handler) raise(r *request, in api.Raise) (api.Sent, error) {
	id := r.vars["id"]
	event := client.RaiseRequest{Instance: id, Name: in.Name, DeduplicationID: in.SenderID, Data: in.Data}
	if in.DryRun {
		check, err := h.client.CheckRaise(r.Context(), event)
		notes := check.Notes()
		if check.Data == nil {
			notes = append(notes, h.notesOfEvent(r.Context(), in.Name, in.Data)...)
		}
		return api.Sent{Instance: id, Notes: notes}, err
	}
	return sent(id, h.as(r.Request).Raise(r.Context(), event))
}

func (h *handler) cancel(r *request, in api.End) (api.Sent, error) {
	id := r.vars["id"]
	return sent(id, h.as(r.Request).Cancel(r.Context(), id, in.Reason))
}

func (h *handler) terminate(r *request, in api.End) (api.Sent, error) {
	id := r.vars["id"]
	return sent(id, h.as(r.Request).Terminate(r.Context(), id, in.Reason))
}

func (h *handler) suspend(r *request, in api.End) (api.Sent, error) {
	id := r.vars["id"]
	return sent(id, h.as(r.Request).Suspend(r.Context(), id, in.Reason))
}

func (h *handler) resume(r *request, in api.End) (api.Sent, error) {
	id := r.vars["id"]
	return sent(id, h.as(r.Request).Resume(r.Context(), id, in.Reason))
}

func (h *handler) reschedule(r *request, in api.Reschedule) (api.Sent, error) {
	id := r.vars["id"]
	return sent(id, h.as(r.Request).Reschedule(r.Context(), id, in.At))
}

func (h *handler) moveToFront(r *request, _ api.Nothing) (api.Sent, error) {
	id := r.vars["id"]
	return sent(id, h.as(r.Request).MoveToFront(r.Context(), id))
}

func (h *handler) fireTimer(r *request, in api.Early) (api.Sent, error) {
	id := r.vars["id"]
	if in.DryRun {
		timer, err := h.client.OpenTimer(r.Context(), id, in.EventID)
		return api.Sent{Instance: id, DueAt: timer.DueAt}, err
	}
	return sent(id, h.as(r.Request).FireTimer(r.Context(), id, in.EventID, in.Reason))
}

func (h *handler) retryNow(r *request, in api.Early) (api.Sent, error) {
	id := r.vars["id"]
	if in.DryRun {
		next, err := h.client.NextAttempt(r.Context(), id, in.EventID)
		return api.Sent{Instance: id, DueAt: next.DueAt, Attempt: next.Attempt}, err
	}
	return sent(id, h.as(r.Request).RetryNow(r.Context(), id, in.EventID))
}

func (h *handler) wake(r *request, _ api.Nothing) (api.Sent, error) {
	id := r.vars["id"]
	return sent(id, h.as(r.Request).Wake(r.Context(), id))
}

func (h *handler) purge(r *request, in api.Purge) (api.Sent, error) {
	id := r.vars["id"]
	return sent(id, h.as(r.Request).Purge(r.Context(), id, PurgeOptions(in)...))
}

// PurgeOptions are those that a request asks for.
func PurgeOptions(in api.Purge) []client.PurgeOption {
	var options []client.PurgeOption
	if in.Force {
		options = append(options, client.Force())
	}
	if in.Children {
		options = append(options, client.WithChildren())
	}
	return options
}

// sent says that something was sent for an instance.
func sent(instance string, err error) (api.Sent, error) {
	if errors.Is(err, client.ErrNoRecord) {
		return api.Sent{Instance: instance, NoRecord: true}, nil
	}
	return api.Sent{Instance: instance}, err
}

func (h *handler) completeActivity(r *request, in api.CompleteActivity) (api.Sent, error) {
	token, err := h.token(r, &in.PendingActivity)
	if err != nil {
		return api.Sent{}, err
	}
	return sent(in.Instance, h.as(r.Request).Complete(r.Context(), token, in.Result))
}

func (h *handler) failActivity(r *request, in api.FailActivity) (api.Sent, error) {
	if in.Message == "" {
		return api.Sent{}, api.Errorf(api.CodeInvalid, "message is empty: say why the activity failed")
	}
	token, err := h.token(r, &in.PendingActivity)
	if err != nil {
		return api.Sent{}, err
	}
	return sent(in.Instance, h.as(r.Request).Fail(r.Context(), token, &givenFailure{in}))
}

func (h *handler) heartbeatActivity(r *request, in api.HeartbeatActivity) (api.Sent, error) {
	token, err := h.token(r, &in.PendingActivity)
	if err != nil {
		return api.Sent{}, err
	}
	return sent(in.Instance, h.as(r.Request).Heartbeat(r.Context(), token, in.Details))
}

// token is the completion token of an activity that a request names.
func (h *handler) token(r *request, of *api.PendingActivity) (string, error) {
	row := of.Instance != "" || of.ExecutionID != 0 || of.EventID != 0
	switch {
	case !row:
		return of.Token, nil
	case of.Token != "":
		return "", api.Errorf(api.CodeInvalid, "token is given together with instance, execution_id or event_id: give one or the other")
	case of.Instance == "" || of.ExecutionID < 1 || of.EventID < 1:
		return "", api.Errorf(api.CodeInvalid, "instance, execution_id and event_id name an activity together, numbers from 1")
	case h.tokens == nil:
		return "", api.Errorf(api.CodeNotOffered, "this console has no keys to complete an activity by where it stands: give its token")
	}
	return h.tokens.CompletionToken(r.Context(), of.Instance, of.ExecutionID, of.EventID)
}

// givenFailure is a failure as the request gave it.
type givenFailure struct{ api.FailActivity }

func (f *givenFailure) Error() string { return f.Message }

// Failure is what is recorded.
func (f *givenFailure) Failure() *history.Failure {
	return &history.Failure{Kind: history.FailureApplication, Message: f.Message, Code: f.Code, Details: f.Details}
}
