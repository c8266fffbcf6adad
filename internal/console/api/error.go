package api

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// Code says in a word what went wrong. It is what a program acts on.
type Code string

// The codes of errors.
const (
	// CodeInvalid: the request is not one that is taken; the message names the
	// field or parameter.
	CodeInvalid Code = "invalid"
	// CodeNoSuchRoute: the API has no such address.
	CodeNoSuchRoute Code = "no_such_route"
	// CodeMethodNotAllowed: the address takes another method.
	CodeMethodNotAllowed Code = "method_not_allowed"
	// CodeHostNotAllowed: the request names a host by which this console is not
	// reached.
	CodeHostNotAllowed Code = "host_not_allowed"
	// CodeCrossOrigin: the request comes from a page of another site, or without
	// the header that a page of another site cannot send.
	CodeCrossOrigin Code = "cross_origin"
	// CodeReadOnly: this console does not act.
	CodeReadOnly Code = "read_only"
	// CodeTooLarge: the request, a payload or the response exceeds its limit.
	CodeTooLarge Code = "too_large"
	// CodeNotFound: there is no such instance, execution, event or dead letter.
	CodeNotFound Code = "not_found"
	// CodeAlreadyExists: the id is taken by another start.
	CodeAlreadyExists Code = "already_exists"
	// CodePurged: an instance of that id was purged, and the id is not free again
	// yet; the message says when it is.
	CodePurged Code = "purged"
	// CodeEnded: the instance has ended, so that the action has no effect.
	CodeEnded Code = "ended"
	// CodeStillRunning: an instance that runs is not purged without force.
	CodeStillRunning Code = "still_running"
	// CodeContradicted: the code disagrees with the history that a redrive would take over,
	// as problem says. Nothing was changed.
	CodeContradicted Code = "contradicted"
	// CodeNoAnswer: the code has no answer to a query, as no_answer says.
	CodeNoAnswer Code = "no_answer"
	// CodeNotPending: the activity is already completed, or nothing waits for it.
	CodeNotPending Code = "not_pending"
	// CodeBadToken: the text is not the completion token of an activity.
	CodeBadToken Code = "bad_token"
	// CodeBadPageToken: the page token belongs to another query.
	CodeBadPageToken Code = "bad_page_token"
	// CodeCorrupt: the history is damaged.
	CodeCorrupt Code = "corrupt"
	// CodeNewer: a newer build wrote what is to be shown.
	CodeNewer Code = "newer_build"
	// CodeNotDecoded: it is encoded by a codec that this program does not have.
	CodeNotDecoded Code = "not_decoded"
	// CodeNotOffered: this console was not given what that takes.
	CodeNotOffered Code = "not_offered"
	// CodeDenied: the role in use may not do this; the message says which
	// action on which resource.
	CodeDenied Code = "access_denied"
	// CodeOlderStack: the stack lacks a table, an index or a queue that this
	// build needs.
	CodeOlderStack Code = "older_stack"
	// CodeCredentials: there are no credentials, or they are not taken.
	CodeCredentials Code = "credentials"
	// CodeBusy: too many do this at once.
	CodeBusy Code = "busy"
	// CodeUnavailable: it passes; try again.
	CodeUnavailable Code = "unavailable"
	// CodeInternal: a fault that none of the others names.
	CodeInternal Code = "internal"
)

// Error is returned instead of a result, as {"error": …}.
type Error struct {
	Code Code `json:"code"`
	// Message says what was wrong, and where.
	Message string `json:"message"`
	// Advice says what to do, where the message does not.
	Advice string `json:"advice,omitempty"`
	// Problem is where code and history part, of the code contradicted.
	Problem *store.Problem `json:"problem,omitempty"`
	// NoAnswer is why a query has no answer, of the code no_answer.
	NoAnswer *NoAnswer `json:"no_answer,omitempty"`
	// FreeAt is, of the codes not_found and purged, when the id of an instance that was purged can be
	// started again. It is left out if there was no such instance.
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

// Failed is the answer that holds an Error.
type Failed struct {
	Error Error `json:"error"`
}
