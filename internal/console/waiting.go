package console

import (
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/internal/unconsumed"
)

func (h *handler) waitingFor(r *request) (api.PendingOperations, error) {
	now := h.now().UTC()
	w, err := timeline.PendingOperations(r.Context(), reading{h, map[string]client.Description{}}, r.vars["id"], timeline.DefaultReads, now)
	if err != nil {
		return api.PendingOperations{}, err
	}
	out := api.PendingOf(w, h.pausedQueues(r.Context()), now)
	out.UnconsumedEvents, err = h.unconsumed(r, r.vars["id"])
	return out, err
}

// unconsumed returns the unconsumed events of the current execution. Its turns are in the cache because the wait
// states were read from them.
func (h *handler) unconsumed(r *request, id string) ([]client.UnconsumedEvent, error) {
	d, err := h.client.Describe(r.Context(), id)
	if err != nil {
		return nil, err
	}
	turns, err := h.turns.read(r.Context(), &d, d.ExecutionID)
	if err != nil {
		return nil, err
	}
	var events []client.UnconsumedEvent
	for _, e := range unconsumed.Of(turns) {
		events = append(events, client.UnconsumedEvent(e))
	}
	return events, nil
}
