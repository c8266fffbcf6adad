// Package tracking serves a page on which a customer asks where an order is. The page follows a state
// of the order ([orders.Status]) by long polling, asks the code of the order a query ([orders.Arrival]),
// and changes the address with an update ([orders.ChangeAddress]), which the order accepts or rejects.
package tracking

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
)

//go:embed page.html
var page []byte

// Handler serves the page. It has no login: everyone who knows the id of an order can ask where it is
// and change the address. A shop would check that the order belongs to the customer.
func Handler(c *client.Client) http.Handler { return handler(c, 20*time.Second) }

// handler waits for a new status or for the answer to an update for as long as patience.
func handler(c *client.Client, patience time.Duration) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	})
	mux.HandleFunc("GET /orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		p, err := follow(r.Context(), c, r.PathValue("id"), r.FormValue("after"), patience)
		answer(w, r, p, err)
	})
	mux.HandleFunc("GET /orders/{id}/arrival", func(w http.ResponseWriter, r *http.Request) {
		a, err := client.Query(r.Context(), c, orders.Arrival, r.PathValue("id"), orders.Place{Country: r.FormValue("country")})
		answer(w, r, a.Value, err)
	})
	mux.HandleFunc("POST /orders/{id}/address", func(w http.ResponseWriter, r *http.Request) {
		var to orders.Address
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 10_000)).Decode(&to); err != nil {
			http.Error(w, "The address cannot be read.", http.StatusBadRequest)
			return
		}
		// The customer is told that the address has not changed, so it must not change later.
		waiting, stop := context.WithTimeout(r.Context(), patience)
		defer stop()
		until, _ := waiting.Deadline()
		a, err := client.Update(waiting, c, orders.ChangeAddress, r.PathValue("id"), to, client.WithExpiresAt(until))
		answer(w, r, a, err)
	})
	return mux
}

// progress says where an order is.
type progress struct {
	Status string `json:"status"`
	// Number of the status, for the parameter "after" of the next request.
	Number string    `json:"number"`
	At     time.Time `json:"at,omitzero"`
	Ended  bool      `json:"ended"`
	// Failure says why an ended order was not completed; empty otherwise.
	Failure string `json:"failure,omitempty"`
}

// follow returns the progress of an order. If after is the number of the present status, it waits for
// the next status.
func follow(ctx context.Context, c *client.Client, id, after string, patience time.Duration) (progress, error) {
	var seen client.StateNumber
	if _, err := fmt.Sscanf(after, "%d.%d", &seen.ExecutionID, &seen.EventID); after != "" && err != nil {
		return progress{}, &turnstile.InvalidArgumentError{Argument: "after", Value: after, Problem: "is no number of a status"}
	}
	d, err := c.Describe(ctx, id) // WaitState would wait for the start of an order that does not exist.
	if err == nil && d.Name != orders.Fulfil.Name() {
		err = &client.NotFoundError{Instance: id}
	}
	if err == nil && after != "" {
		waiting, stop := context.WithTimeout(ctx, patience)
		defer stop()
		last := d
		d, err = c.WaitState(waiting, id, orders.Status.Name(), seen)
		if errors.Is(err, context.DeadlineExceeded) {
			d, err = last, nil
		}
	}
	if err != nil {
		return progress{}, err
	}
	s, err := client.StateOf(d, orders.Status)
	if errors.As(err, new(*client.StateNotSetError)) {
		s, err = client.StateValue[string]{Value: "received", Ended: d.Status.Terminal()}, nil
	}
	p := progress{Status: s.Value, Number: s.Number.String(), At: s.At, Ended: s.Ended}
	if d.Failure != nil {
		p.Status, p.Failure = string(d.Status), d.Failure.Message
	}
	return p, err
}

// answer writes a value as JSON, or an error as a text for the customer.
func answer(w http.ResponseWriter, r *http.Request, v any, err error) {
	w.Header().Set("Cache-Control", "no-store")
	missing, isMissing := errors.AsType[*client.NotFoundError](err)
	invalid, isInvalid := errors.AsType[*turnstile.InvalidArgumentError](err)
	refused, isRefused := errors.AsType[*client.QueryError](err)
	rejected, isRejected := errors.AsType[*client.UpdateRejectedError](err)
	switch {
	case err == nil:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	case errors.Is(err, client.ErrPurged), isMissing && !missing.FreeAt.IsZero():
		http.Error(w, fmt.Sprintf("The order %q has been deleted.", r.PathValue("id")), http.StatusGone)
	case isMissing:
		http.Error(w, fmt.Sprintf("There is no order %q. If you have just placed it, try again in a moment.", r.PathValue("id")), http.StatusNotFound)
	case isInvalid:
		http.Error(w, invalid.Error(), http.StatusBadRequest)
	case isRefused:
		http.Error(w, refused.Message, http.StatusConflict)
	case isRejected:
		http.Error(w, rejected.Reason, http.StatusConflict)
	case errors.As(err, new(*client.EndedError)):
		http.Error(w, fmt.Sprintf("The order %q can no longer be changed.", r.PathValue("id")), http.StatusConflict)
	case r.Context().Err() == nil:
		slog.Error("orders: cannot answer", "path", r.URL.Path, "error", err)
		http.Error(w, "The shop cannot answer at the moment. Please try again.", http.StatusServiceUnavailable)
	}
}
