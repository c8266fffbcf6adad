package console

import (
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console/api"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

func (h *handler) waitingFor(r *request) (api.WaitingFor, error) {
	now := h.now().UTC()
	w, err := timeline.WaitingFor(r.Context(), reading{h, map[string]client.Description{}}, r.vars["id"], timeline.DefaultReads, now)
	if err != nil {
		return api.WaitingFor{}, err
	}
	return api.WaitingForOf(w, now), nil
}
