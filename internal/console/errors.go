package console

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/schedule"
	"github.com/turnstile-go/turnstile/store"
)

// statuses are the HTTP statuses of codes.
var statuses = map[api.Code]int{
	api.CodeInvalid:          http.StatusBadRequest,
	api.CodeBadToken:         http.StatusBadRequest,
	api.CodeBadPageToken:     http.StatusBadRequest,
	api.CodeNoSuchRoute:      http.StatusNotFound,
	api.CodeNotFound:         http.StatusNotFound,
	api.CodeNotOffered:       http.StatusNotFound,
	api.CodeMethodNotAllowed: http.StatusMethodNotAllowed,
	api.CodeHostNotAllowed:   http.StatusMisdirectedRequest,
	api.CodeCrossOrigin:      http.StatusForbidden,
	api.CodeReadOnly:         http.StatusForbidden,
	api.CodeDenied:           http.StatusForbidden,
	api.CodeTooLarge:         http.StatusRequestEntityTooLarge,
	api.CodeAlreadyExists:    http.StatusConflict,
	api.CodePurged:           http.StatusConflict,
	api.CodeEnded:            http.StatusConflict,
	api.CodeStillRunning:     http.StatusConflict,
	api.CodeContradicted:     http.StatusConflict,
	api.CodeNoAnswer:         http.StatusConflict,
	api.CodeNotPending:       http.StatusConflict,
	api.CodeCorrupt:          http.StatusConflict,
	api.CodeNewer:            http.StatusNotImplemented,
	api.CodeNotDecoded:       http.StatusConflict,
	api.CodeOlderStack:       http.StatusNotImplemented,
	api.CodeCredentials:      http.StatusBadGateway,
	api.CodeBusy:             http.StatusTooManyRequests,
	api.CodeUnavailable:      http.StatusServiceUnavailable,
	api.CodeInternal:         http.StatusInternalServerError,
}

// fail sends an error as the response.
func (h *handler) fail(w http.ResponseWriter, err error) { refuse(w, h.explain(err)) }

// refuse sends an error of the API as the response.
func refuse(w http.ResponseWriter, e *api.Error) {
	status := statuses[e.Code]
	if status == 0 {
		status = http.StatusInternalServerError
	}
	// An error is small, and always JSON.
	_ = write(w, status, api.Failed{Error: *e})
}

// explain converts an error of the client to an error of the API.
func (h *handler) explain(err error) *api.Error {
	if err == nil {
		return nil
	}
	var said *api.Error
	if errors.As(err, &said) {
		return said
	}
	if h.explained != nil {
		if said = h.explained(err); said != nil {
			return said
		}
	}
	e := &api.Error{Code: codeOf(err), Message: strings.TrimPrefix(err.Error(), "turnstile: ")}
	switch e.Code {
	case api.CodeNewer:
		e.Advice = "A newer build wrote this instance. Use a console of that version."
	case api.CodeUnavailable:
		e.Advice = "This is temporary: try again."
	case api.CodeContradicted:
		refused, _ := errors.AsType[*client.RedriveError](err)
		e.Problem = refused.Stuck
	case api.CodeNoAnswer:
		query, _ := errors.AsType[*client.QueryError](err)
		e.NoAnswer = query
	case api.CodeNotFound:
		if missing, ok := errors.AsType[*client.NotFoundError](err); ok {
			e.FreeAt = missing.FreeAt
		}
	case api.CodePurged:
		purged, _ := errors.AsType[*client.PurgedError](err)
		e.FreeAt = purged.FreeAt
	}
	return e
}

func codeOf(err error) api.Code {
	var (
		exists   *client.AlreadyExistsError
		purged   *client.PurgedError
		ended    *client.EndedError
		running  *client.StillRunningError
		redrive  *client.RedriveError
		query    *client.QueryError
		ticks    *schedule.InvalidError
		pending  *client.NotPendingError
		token    *client.TokenError
		argument *turnstile.InvalidArgumentError
		search   *history.SearchAttributeError
		large    *turnstile.PayloadTooLargeError
		corrupt  *store.CorruptError
		unknown  *codec.UnknownError
		damaged  *codec.DamagedError
		item     *wire.ParseError
	)
	switch {
	case errors.Is(err, client.ErrNotFound):
		return api.CodeNotFound
	case errors.As(err, &exists):
		return api.CodeAlreadyExists
	case errors.As(err, &purged):
		return api.CodePurged
	case errors.As(err, &query):
		return api.CodeNoAnswer
	case errors.Is(err, client.ErrNoActivities), errors.Is(err, client.ErrNoQueries):
		return api.CodeNotOffered
	case errors.As(err, &ended):
		return api.CodeEnded
	case errors.As(err, &running):
		return api.CodeStillRunning
	case errors.As(err, &redrive) && redrive.Stuck != nil:
		return api.CodeContradicted
	case errors.As(err, &redrive), errors.As(err, &ticks):
		return api.CodeInvalid
	case errors.As(err, &pending), errors.Is(err, client.ErrNotWaiting), errors.Is(err, client.ErrNotSuspended):
		return api.CodeNotPending
	case errors.As(err, &token):
		return api.CodeBadToken
	case errors.As(err, &argument), errors.As(err, &search), errors.Is(err, store.ErrBadSearch):
		return api.CodeInvalid
	case errors.As(err, &large), errors.As(err, &item) && item.Reason == wire.ReasonTooLarge:
		return api.CodeTooLarge
	case errors.As(err, &item):
		return api.CodeInvalid
	case errors.Is(err, store.ErrBadPageToken):
		return api.CodeBadPageToken
	case errors.As(err, &corrupt), errors.As(err, &damaged):
		return api.CodeCorrupt
	case errors.As(err, &unknown):
		return api.CodeNotDecoded
	case errors.Is(err, history.ErrNewer):
		return api.CodeNewer
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, queue.ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return api.CodeUnavailable
	}
	return api.CodeInternal
}
