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
	// actor on whose behalf it asks for actions; empty for nobody.
	actor string
	http  *http.Client
	// pause waits between two looks at an instance that is waited for.
	pause func(context.Context) bool
}

// New returns a client of the console at that address, such as
// http://127.0.0.1:8876/, that acts on behalf of actor, or of nobody. pause waits
// between two looks at what is waited for, and reports false if the context ended
// first.
func New(base, actor string, transport http.RoundTripper, pause func(context.Context) bool) *Client {
	return &Client{base: strings.TrimSuffix(base, "/") + "/api/v1/", actor: actor, http: &http.Client{Transport: transport}, pause: pause}
}

// Over returns a client of a console in this process.
func Over(handler http.Handler, pause func(context.Context) bool) *Client {
	return New("http://127.0.0.1", "", inProcess{handler}, pause)
}

// Error is an error that the console answered with.
type Error struct{ Said api.Error }

func (e *Error) Error() string {
	if e.Said.Advice == "" {
		return e.Said.Message
	}
	return e.Said.Message + "\n" + e.Said.Advice
}

// Is makes it the error of a client that means the same.
func (e *Error) Is(target error) bool {
	switch target {
	case client.ErrNotFound:
		return e.Said.Code == api.CodeNotFound
	case store.ErrUnavailable:
		return e.Said.Code == api.CodeUnavailable || e.Said.Code == api.CodeBusy
	case store.ErrBadPageToken:
		return e.Said.Code == api.CodeBadPageToken
	}
	return false
}

// As makes it the [*client.RedriveError] that the console's client returned, as far as it was told.
func (e *Error) As(target any) bool {
	refused, is := target.(**client.RedriveError)
	if !is || e.Said.Code != api.CodeContradicted {
		return false
	}
	*refused = &client.RedriveError{Problem: e.Said.Message, Stuck: e.Said.Problem}
	return true
}

// UnreachableError says that no console answers at an address.
type UnreachableError struct {
	URL string
	Err error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("no console answers at %s: %v", e.URL, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// maxAnswer bounds what is read of an answer.
const maxAnswer = 64 << 20

// get asks for something; into is a pointer, or nil for the text.
func (c *Client) get(ctx context.Context, path string, query url.Values, into any) ([]byte, error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.do(ctx, http.MethodGet, path, nil, into)
}

// post asks for an action.
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
			return nil, &UnreachableError{URL: strings.TrimSuffix(c.base, "api/v1/"), Err: at.Err}
		}
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return nil, err
	}
	if answer.StatusCode/100 != 2 {
		return nil, c.refused(answer, text)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			return nil, fmt.Errorf("the console at %s gave an answer that this version does not know: %w", c.base, err)
		}
	}
	return text, nil
}

// refused is the error that was answered.
func (c *Client) refused(answer *http.Response, text []byte) error {
	var failed api.Failed
	if json.Unmarshal(text, &failed) != nil || failed.Error.Message == "" {
		return fmt.Errorf("%s is not a console of Turnstile: %s", c.base, answer.Status)
	}
	return &Error{failed.Error}
}

// segment is an instance id as it stands in a path: one that is "." or ".." would be
// folded away.
func segment(id string) string {
	if id == "." || id == ".." || strings.HasPrefix(id, "~") {
		id = "~" + id
	}
	return url.PathEscape(id)
}
