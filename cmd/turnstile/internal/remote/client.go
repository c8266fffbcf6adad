package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/store"
)

// Client is a client of a console's API. It is safe for concurrent use.
type Client struct {
	base string
	// actor is the requester of actions; empty for none.
	actor string
	http  *http.Client
	// pause waits between two polls of an instance.
	pause func(context.Context) bool
}

// New returns a client of the console at the URL base, such as http://127.0.0.1:8876/. actor is the
// requester of its actions; empty for none. pause waits between two polls, and reports false if the
// context ended first.
func New(base, actor string, transport http.RoundTripper, pause func(context.Context) bool) *Client {
	// Following a redirect would turn most POST requests into GET requests.
	asIs := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{base: strings.TrimSuffix(base, "/") + apiPath, actor: actor, http: &http.Client{Transport: transport, CheckRedirect: asIs}, pause: pause}
}

// Over returns a client of a console in this process.
func Over(handler http.Handler, pause func(context.Context) bool) *Client {
	return New("http://127.0.0.1", "", inProcess{handler}, pause)
}

// Error is an error that the console returned.
type Error struct{ Said api.Error }

func (e *Error) Error() string {
	if e.Said.Advice == "" {
		return e.Said.Message
	}
	return e.Said.Message + "\n" + e.Said.Advice
}

// Is reports whether the error corresponds to an error of package client or store.
func (e *Error) Is(target error) bool {
	switch target {
	case client.ErrNotFound:
		return e.Said.Code == api.CodeNotFound
	case client.ErrPurged:
		return e.Said.Code == api.CodePurged
	case client.ErrNoActivities:
		return e.Said.Code == api.CodeNotOffered
	case store.ErrUnavailable:
		return e.Said.Code == api.CodeUnavailable || e.Said.Code == api.CodeBusy
	case store.ErrBadPageToken:
		return e.Said.Code == api.CodeBadPageToken
	}
	return false
}

// As converts the error to the corresponding typed error of package client, with the fields that the
// console returned. Callers can then handle errors of a [client.Client] and of this client alike.
func (e *Error) As(target any) bool {
	said := &e.Said
	switch t := target.(type) {
	case **client.RedriveError:
		return set(t, said.Code == api.CodeContradicted, &client.RedriveError{Problem: said.Message, Stuck: said.Problem})
	case **client.QueryError:
		return set(t, said.NoAnswer != nil, said.NoAnswer)
	case **client.NotFoundError:
		return set(t, said.Code == api.CodeNotFound, &client.NotFoundError{FreeAt: said.FreeAt})
	case **client.PurgedError:
		return set(t, said.Code == api.CodePurged, &client.PurgedError{FreeAt: said.FreeAt})
	case **client.AlreadyExistsError:
		return set(t, said.Code == api.CodeAlreadyExists, &client.AlreadyExistsError{})
	case **client.EndedError:
		return set(t, said.Code == api.CodeEnded, &client.EndedError{})
	case **client.StillRunningError:
		return set(t, said.Code == api.CodeStillRunning, &client.StillRunningError{})
	}
	return false
}

func set[E any](target **E, is bool, err *E) bool {
	if is {
		*target = err
	}
	return is
}

// UnreachableError reports that no console responds at a URL.
type UnreachableError struct {
	URL string
	Err error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("no console responds at %s: %v", e.URL, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// apiPath is the path of the API below the URL of a console.
const apiPath = "/api/v1/"

// maxAnswer limits the size of a response.
const maxAnswer = 64 << 20

// get sends a GET request. It decodes the response into the pointer into, or returns only its text if
// into is nil.
func (c *Client) get(ctx context.Context, path string, query url.Values, into any) ([]byte, error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.do(ctx, http.MethodGet, path, nil, into)
}

// read sends a GET request, and decodes the response.
func read[T any](ctx context.Context, c *Client, path string, query url.Values) (got T, err error) {
	_, err = c.get(ctx, path, query, &got)
	return got, err
}

// post sends a POST request for an action.
func (c *Client) post(ctx context.Context, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, err = c.do(ctx, http.MethodPost, path, text, into)
	return err
}

func (c *Client) do(ctx context.Context, method, path string, body []byte, into any) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(console.ActionHeader, "1")
		if c.actor != "" {
			r.Header.Set(console.ActorHeader, c.actor)
		}
	}
	answer, err := c.http.Do(r)
	if err != nil {
		var at *url.Error
		if ctx.Err() == nil && errors.As(err, &at) {
			return nil, &UnreachableError{URL: strings.TrimSuffix(c.base, strings.TrimPrefix(apiPath, "/")), Err: at.Err}
		}
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return nil, err
	}
	if to, err := answer.Location(); err == nil && answer.StatusCode/100 == 3 {
		return nil, c.redirected(to.String())
	}
	if answer.StatusCode/100 != 2 {
		return nil, c.refused(answer, text)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			return nil, fmt.Errorf("this version cannot decode the response of the console at %s: %w", c.base, err)
		}
	}
	return text, nil
}

// redirected returns the error for a redirect.
func (c *Client) redirected(to string) error {
	at := strings.TrimSuffix(c.base, strings.TrimPrefix(apiPath, "/"))
	if base, _, isAPI := strings.Cut(to, apiPath); isAPI {
		return fmt.Errorf("%s redirects to %s/: use that address", at, base)
	}
	return fmt.Errorf("%s redirects to %s, which is not its API: check the address, and whether it requires a login", at, to)
}

// refused returns the error in a response.
func (c *Client) refused(answer *http.Response, text []byte) error {
	var failed api.Failed
	if json.Unmarshal(text, &failed) != nil || failed.Error.Message == "" {
		return fmt.Errorf("%s is not a console of Turnstile: %s", c.base, answer.Status)
	}
	return &Error{failed.Error}
}

// segment encodes an instance id for a path. It escapes "." and "..", which path cleaning would remove.
func segment(id string) string {
	if id == "." || id == ".." || strings.HasPrefix(id, "~") {
		id = "~" + id
	}
	return url.PathEscape(id)
}
