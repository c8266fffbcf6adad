package api

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/store"
)

// Code is what went wrong, in a word that programs can act on.
type Code string

// The codes of errors.
const (
	// CodeInvalid means that the request is invalid; the message names the field or parameter.
	CodeInvalid Code = "invalid"
	// CodeNoSuchRoute means that the API has no such path.
	CodeNoSuchRoute Code = "no_such_route"
	// CodeMethodNotAllowed means that the path requires another method.
	CodeMethodNotAllowed Code = "method_not_allowed"
	// CodeHostNotAllowed means that this console does not accept requests for the host.
	CodeHostNotAllowed Code = "host_not_allowed"
	// CodeCrossOrigin means that the request comes from a page of a different site, or lacks the header
	// that such a page cannot send.
	CodeCrossOrigin Code = "cross_origin"
	// CodeReadOnly means that this console allows no actions.
	CodeReadOnly Code = "read_only"
	// CodeTooLarge means that the request, a payload or the response exceeds its limit.
	CodeTooLarge Code = "too_large"
	// CodeNotFound means that the instance, execution, event or dead letter does not exist.
	CodeNotFound Code = "not_found"
	// CodeAlreadyExists means that another start has used the id.
	CodeAlreadyExists Code = "already_exists"
	// CodePurged means that an instance with this id was purged, and the id cannot be reused yet;
	// the message has the time from which it can.
	CodePurged Code = "purged"
	// CodeEnded means that the instance has ended, so the action has no effect.
	CodeEnded Code = "ended"
	// CodeStillRunning means that the instance is running, and the action requires that it has
	// ended.
	CodeStillRunning Code = "still_running"
	// CodeContradicted means that the code disagrees with the history that a redrive would copy;
	// problem has the difference. Nothing was changed.
	CodeContradicted Code = "contradicted"
	// CodeNoAnswer means that the code has no answer to a query, for the reason in no_answer.
	CodeNoAnswer Code = "no_answer"
	// CodeNotPending means that the activity is already completed, or nothing waits for it.
	CodeNotPending Code = "not_pending"
	// CodeBadToken means that the text is not the completion token of an activity.
	CodeBadToken Code = "bad_token"
	// CodeBadPageToken means that the page token belongs to another query.
	CodeBadPageToken Code = "bad_page_token"
	// CodeCorrupt means that the history is damaged.
	CodeCorrupt Code = "corrupt"
	// CodeNewer means that a newer build wrote the requested data.
	CodeNewer Code = "newer_build"
	// CodeNotDecoded means that the data is encoded by a codec that this program does not have.
	CodeNotDecoded Code = "not_decoded"
	// CodeNotOffered means that this console does not have the feature.
	CodeNotOffered Code = "not_offered"
	// CodeDenied means that the role in use does not have a permission; the message names the
	// action and the resource.
	CodeDenied Code = "access_denied"
	// CodeOlderStack means that the stack lacks a table, an index or a queue that this build needs.
	CodeOlderStack Code = "older_stack"
	// CodeCredentials means that there are no credentials, or AWS rejects them.
	CodeCredentials Code = "credentials"
	// CodeBusy means that too many such requests are in progress.
	CodeBusy Code = "busy"
	// CodeUnavailable means a temporary error; try again.
	CodeUnavailable Code = "unavailable"
	// CodeInternal means any other error.
	CodeInternal Code = "internal"
)

// Error is returned instead of a result, as {"error": …}.
type Error struct {
	Code Code `json:"code"`
	// Message describes what was wrong, and where.
	Message string `json:"message"`
	// Advice is what to do, if the message does not say so.
	Advice string `json:"advice,omitempty"`
	// Problem is where code and history disagree, for the code contradicted.
	Problem *store.Problem `json:"problem,omitempty"`
	// NoAnswer is why a query has no answer, for the code no_answer.
	NoAnswer *client.QueryError `json:"no_answer,omitempty"`
	// FreeAt is when the id of a purged instance can be reused, for the codes not_found and purged.
	// It is omitted if no such instance was purged.
	FreeAt time.Time `json:"free_at,omitzero"`
}

func (e *Error) Error() string {
	if e.Advice == "" {
		return e.Message
	}
	return e.Message + ": " + e.Advice
}

// Errorf returns an error with a code and a message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Failed is the response that contains an Error.
type Failed struct {
	Error Error `json:"error"`
}
