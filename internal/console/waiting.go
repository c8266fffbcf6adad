package console

import (
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/internal/untaken"
)

func (h *handler) waitingFor(r *request) (api.WaitingFor, error) {
	now := h.now().UTC()
	w, err := timeline.WaitingFor(r.Context(), reading{h, map[string]client.Description{}}, r.vars["id"], timeline.DefaultReads, now)
	if err != nil {
		return api.WaitingFor{}, err
	}
	out := api.WaitingForOf(w, now)
	out.Untaken, err = h.untaken(r, r.vars["id"])
	return out, err
}

// untaken returns the events of the current execution that nothing has taken. Its
// turns are kept from the look at what it waits for.
func (h *handler) untaken(r *request, id string) ([]api.UntakenEvent, error) {
	d, err := h.client.Describe(r.Context(), id)
	if err != nil {
		return nil, err
	}
	turns, err := h.turns.read(r.Context(), &d, d.ExecutionID)
	if err != nil {
		return nil, err
	}
	var events []client.UntakenEvent
	for _, e := range untaken.Of(turns) {
		events = append(events, client.UntakenEvent(e))
	}
	return api.UntakenEventsOf(events), nil
}
