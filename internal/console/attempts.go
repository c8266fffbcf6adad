package console

import (
	"errors"
	"math"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/store"
)

// eventAttempts returns the attempts of one activity. If the activity has ended after one attempt,
// it reads only the history.
func (h *handler) eventAttempts(r *request) (api.Attempts, error) {
	ctx := r.Context()
	x, err := h.execution(ctx, r.vars["id"], r.vars["execution"])
	if err != nil {
		return api.Attempts{}, err
	}
	id, err := number("event", r.vars["event"], 1, math.MaxInt32)
	if err != nil {
		return api.Attempts{}, err
	}
	t := timeline.New(x.instance, timeline.FromTurns(x.number, x.turns))
	row := t.Row(x.number, int64(id))
	if row == nil || row.Kind != timeline.KindActivity && row.Kind != timeline.KindInline {
		return api.Attempts{}, api.Errorf(api.CodeNotFound, "event %d of instance %q execution %d does not schedule an activity", id, x.instance, x.number)
	}
	now := h.now().UTC()
	var state store.ActivityState
	notRead := ""
	if row.Noted() {
		state, err = h.client.ActivityState(ctx, store.ActivityKey{Instance: x.instance, ExecutionID: x.number, EventID: row.EventID})
		switch {
		case errors.Is(err, client.ErrNoActivities):
			notRead = "This console has no access to the activities table, so it shows only what the history has."
		case err != nil:
			return api.Attempts{}, err
		}
		t.AddSeen(x.number, h.seen(x.instance, x.number))
	}
	out := api.AttemptsOf(x.instance, row, t.Attempts(x.number, row.EventID, state, now), now, h.place.OneMachine())
	out.NotRead = notRead
	if row.Kind == timeline.KindActivity && row.State == timeline.StateOpen {
		out.Paused = api.PausedFor(h.pausedQueues(ctx), row.Queue)
	}
	return out, nil
}

// seen returns the attempts of an execution that workers of this process have, by event.
func (h *handler) seen(instance string, execution int64) map[int64]timeline.Seen {
	seen := map[int64]timeline.Seen{}
	if h.attempts == nil {
		return seen
	}
	for _, a := range h.attempts.Attempts(instance) {
		if a.ExecutionID == execution {
			seen[a.EventID] = timeline.Seen{Attempt: a.Number, Since: a.Since}
		}
	}
	return seen
}
