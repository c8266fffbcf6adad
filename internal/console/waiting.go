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
	return out, h.unconsumed(r, &out)
}

// unconsumed adds the unconsumed events and the open updates of the current execution. Its turns are in the cache
// because the wait states were read from them.
func (h *handler) unconsumed(r *request, out *api.PendingOperations) error {
	d, err := h.client.Describe(r.Context(), r.vars["id"])
	if err != nil {
		return err
	}
	turns, err := h.turns.read(r.Context(), &d, d.ExecutionID)
	if err != nil {
		return err
	}
	for _, e := range unconsumed.Of(turns) {
		out.UnconsumedEvents = append(out.UnconsumedEvents, client.UnconsumedEvent(e))
	}
	if !d.Status.Terminal() {
		for _, u := range unconsumed.Updates(turns) {
			s := client.UpdateStatus{Instance: d.Instance, ID: u.ID, Name: u.Name, Stage: client.UpdateSent, ExecutionID: u.ExecutionID, EventID: u.EventID, At: u.At}
			if u.Accepted {
				s.Stage = client.UpdateAccepted
			}
			out.Updates = append(out.Updates, s)
		}
	}
	return nil
}
