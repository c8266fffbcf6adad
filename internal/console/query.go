package console

import (
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// query queries the code of an instance. It changes nothing, so a read-only console has it too.
func (h *handler) query(r *request, in api.Query) (api.QueryAnswer, error) {
	done, err := h.replaying()
	if err != nil {
		return api.QueryAnswer{}, err
	}
	defer done()
	a, err := h.as(r.Request).Query(r.Context(), client.QueryRequest{Instance: r.vars["id"], Name: in.Name, Input: in.Input})
	return api.QueryAnswerOf(&a), err
}

// update returns the status of an update.
func (h *handler) update(r *request) (client.UpdateStatus, error) {
	seconds, err := r.number("wait_seconds", acts.MaxUpdateWait, 0)
	if err != nil {
		return client.UpdateStatus{}, err
	}
	return acts.WaitUpdate(r.Context(), h.client, r.vars["id"], r.vars["update"], seconds)
}
