package console

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/rehearsal"
	"github.com/turnstile-go/turnstile/store"
)

// mostReplays is how many replays run at once, for queries and to find where code waits, including
// those that do not come to rest; longestReplay is how long a request waits to find where code waits.
const (
	mostReplays   = 4
	longestReplay = 5 * time.Second
)

// code tells where the code of an instance waits, by a replay of its current execution, or
// where it waited after an event.
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

// wholeTurns are the turns that were over with an event. Of a turn that was not, a replay
// would do the rest for the first time.
func wholeTurns(turns []store.Turn, event int64) []store.Turn {
	for i := range turns {
		if turns[i].Last() > event {
			return turns[:i]
		}
	}
	return turns
}
