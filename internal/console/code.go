package console

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/rehearsal"
	"github.com/turnstile-go/turnstile/store"
)

// mostReplays limits the concurrent replays, for queries and to find where code waits, including
// replays that do not end. longestReplay is how long a request waits to find where code waits.
const (
	mostReplays   = 4
	longestReplay = 5 * time.Second
)

// code returns where the code of an instance waits, or waited after an event, by replaying its
// current execution.
func (h *handler) code(r *request) (api.CodeWaits, error) {
	app := h.client.App()
	if app == nil {
		return api.CodeWaits{}, api.Errorf(api.CodeNotOffered, "this console does not have the code: its client has no application. In the project's folder, `turnstile replay` shows where the code waits")
	}
	d, err := h.client.Describe(r.Context(), r.vars["id"])
	if err != nil {
		return api.CodeWaits{}, err
	}
	past := r.query.Get("at")
	at, err := h.past(&d, past)
	if err != nil {
		return api.CodeWaits{}, err
	}
	x := &execution{instance: d.Instance, number: d.ExecutionID}
	if past != "" {
		x.number = at.execution
	}
	if err := h.readTurns(r.Context(), &d, x); err != nil {
		return api.CodeWaits{}, err
	}
	if past != "" {
		x.turns = wholeTurns(x.turns, at.event)
	}
	events := h.open(x, rehearsal.Ran(x.turns))
	if len(events) == 0 || events[len(events)-1].Kind.Terminal() || past == "" && d.Status.Terminal() {
		return api.CodeWaitsOf(d.Instance, x.number, x.last(), nil, nil), nil
	}
	done, err := h.replaying()
	if err != nil {
		return api.CodeWaits{}, err
	}
	found, err := rehearsal.Places(app.Orchestrations(), d.Instance, x.number, events, longestReplay, done)
	return api.CodeWaitsOf(d.Instance, x.number, events[len(events)-1].EventID, found, err), nil
}

// replaying counts a replay until done is called. It returns an error if too many run.
func (h *handler) replaying() (done func(), err error) {
	select {
	case h.replays <- struct{}{}:
		return func() { <-h.replays }, nil
	default:
		return nil, api.Errorf(api.CodeBusy, "%d replays are running or blocked: try again later", mostReplays)
	}
}

// wholeTurns returns the turns that were complete at an event. A replay of an incomplete turn would
// run the rest of it for the first time.
func wholeTurns(turns []store.Turn, event int64) []store.Turn {
	for i := range turns {
		if turns[i].Last() > event {
			return turns[:i]
		}
	}
	return turns
}
