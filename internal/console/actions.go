package console

import (
	"cmp"
	"context"
	"net/http"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// as returns the client that acts on behalf of the sender of the request.
func (h *handler) as(r *http.Request) *client.Client {
	if actor := h.actorOf(r); actor != "" || h.actor != nil {
		return h.client.WithActor(actor)
	}
	return h.client
}

// actorOf returns on whose behalf a request acts; empty if no actor is given.
func (h *handler) actorOf(r *http.Request) string {
	if h.actor == nil {
		return r.Header.Get(ActorHeader)
	}
	return h.actor(r)
}

// route returns the route of an act.
func (h *handler) route(act acts.Any) route {
	row := act.About()
	return route{method: http.MethodPost, pattern: row.Path, acts: true, summary: row.Summary, endpoint: endpoint{
		takes: act.Takes(), returns: act.Returns(),
		serve: func(r *request) error {
			id := cmp.Or(r.vars["id"], r.vars["name"])
			out, err := act.Serve(r.Context(), h.on(h.as(r.Request), id), func(into any) error { return decode(r, maxRequest, into) })
			if err != nil {
				return err
			}
			return write(r.w, http.StatusOK, out)
		},
	}}
}

func (h *handler) on(c *client.Client, id string) *acts.On {
	return &acts.On{Client: c, ID: id, CheckEvent: h.checkEvent, Token: h.token}
}

// On returns what the acts of this process work with. catalog reads the catalog of the code; nil for the
// catalog of the client's App.
func On(c *client.Client, catalog CatalogReader, id string) *acts.On {
	if app := c.App(); catalog == nil && app != nil {
		catalog = &ownCatalog{app: app}
	}
	h := &handler{client: c, options: options{catalog: catalog}}
	return h.on(c, id)
}

// checkEvent returns the problems of an event according to the catalog of the code.
func (h *handler) checkEvent(ctx context.Context, check *client.RaiseCheck, in *api.Raise) (notes []string, wrong bool) {
	wrong, notes = h.wrongName(ctx, check)
	if check.Data == nil {
		data := h.notesOfEvent(ctx, in.Name, in.Data)
		notes, wrong = append(notes, data...), wrong || len(data) > 0
	}
	return notes, wrong
}

// token is the completion token of an activity that a request names.
func (h *handler) token(ctx context.Context, of *api.PendingActivity) (string, error) {
	row := of.Instance != "" || of.ExecutionID != 0 || of.EventID != 0
	switch {
	case !row:
		return of.Token, nil
	case of.Token != "":
		return "", api.Errorf(api.CodeInvalid, "the request has a token as well as instance, execution_id or event_id: give one or the other")
	case of.Instance == "" || of.ExecutionID < 1 || of.EventID < 1:
		return "", api.Errorf(api.CodeInvalid, "instance, execution_id and event_id identify an activity together: give all three, with numbers from 1")
	case h.tokens == nil:
		return "", api.Errorf(api.CodeNotOffered, "this console has no token keys, so it cannot complete an activity by its event: give its token")
	}
	return h.tokens.CompletionToken(ctx, of.Instance, of.ExecutionID, of.EventID)
}
