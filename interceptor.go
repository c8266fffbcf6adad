package turnstile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Interceptor wraps the orchestrations, activities and queries of an application, or the calls of a
// client: for authorisation, logging, metrics, tracing. The same value can be a [Component] of an
// [App], which uses Orchestration, Activity and Query, and an argument of Client.WithInterceptors,
// which uses Client. A nil function costs nothing, and an application or a client without
// interceptors pays nothing for the feature.
//
//	app := turnstile.NewApp(audit, metrics, Fulfil.Implement(fulfil), Charge.Implement(charge))
//	c = c.WithInterceptors(audit, metrics)
//
// The first interceptor is the outermost. Each function calls next, which runs the following
// interceptors and then the intercepted code, and returns the error of next or another error.
// Interceptors can read payloads but not change them.
type Interceptor struct {
	// Name is the interceptor's name in errors; unique in an application.
	Name string

	// Orchestration runs around the code of an orchestration, once for each execution, and again on
	// each replay. Code before next runs whenever the orchestration is run from its beginning. Code
	// after next runs when the execution ends, and again if that commit fails. A line that [Logger]
	// writes, and a function that [AfterCommit] registers, appear once.
	//
	// The interceptor's own code must be deterministic and records nothing: it may read [Info],
	// log, set states and search attributes, and pass on headers ([WithHeaders]). So you can add
	// and remove interceptors while instances run. A durable call in that code returns a
	// [*MisuseError] and makes the instance stuck, as a panic does; the reason names the
	// interceptor. The interceptor must call next once, or return an error without calling next,
	// which fails the orchestration.
	Orchestration func(ctx Context, call *OrchestrationCall, next func(Context) error) error

	// Activity runs around each attempt of an activity, inline or on a worker, within its timeouts
	// and its context: [ActivityInfo] and [Heartbeat] work. A returned error fails the attempt, and
	// the retry policy applies; a panic is a failed attempt whose message names the interceptor. A
	// function that does not call next must return an error; calling next again repeats the
	// activity's code within the attempt.
	Activity func(ctx context.Context, call *ActivityCall, next func(context.Context) error) error

	// Query runs around the answer to a query, in the process that answers: next replays the
	// history and calls the handler. A function that does not call next must return an error, which
	// the client gets as a QueryError of the kind "failed"; a panic becomes a QueryError of the
	// kind "panic".
	Query func(ctx context.Context, call *QueryCall, next func(context.Context) error) error

	// Client runs around each call of a client that sends something or asks a query. It may change
	// the headers of the call; see [ClientCall]. It must not pass its ctx to a call of the
	// intercepted client. Calling next again sends the message again under the same ids, which is
	// harmless, or asks the query again.
	Client func(ctx context.Context, call *ClientCall, next func(context.Context) error) error
}

// OrchestrationCall is the execution of an orchestration that an [Interceptor] wraps. Do not change
// the value. [Info] has more details.
type OrchestrationCall struct {
	// Input is the input as JSON.
	Input json.RawMessage
	// Output is the output as JSON, after next has returned without an error.
	Output json.RawMessage
}

// ActivityCall is the attempt of an activity that an [Interceptor] wraps. Do not change the value.
// [ActivityInfo] has more details.
type ActivityCall struct {
	// Input is the input as JSON.
	Input json.RawMessage
	// Result is the result as JSON, after next has returned without an error.
	Result json.RawMessage
}

// QueryCall is a query that an [Interceptor] wraps. Do not change the value.
type QueryCall struct {
	// Instance is the instance that is queried, Orchestration the name of its orchestration, and
	// ExecutionID the execution that answers.
	Instance, Orchestration string
	ExecutionID             int64
	// Name of the query.
	Name string
	// Input is the input as JSON.
	Input json.RawMessage
	// Output is the output as JSON, after next has returned without an error.
	Output json.RawMessage
	// Headers are those of the start of the execution ([Info]).
	Headers map[string]string
	// RequestHeaders are those that interceptors of the client have set ([ClientCall]), such as the
	// context of a trace. They prove nothing.
	RequestHeaders map[string]string
}

// ClientCall is a call of a client that an [Interceptor] wraps.
type ClientCall struct {
	// Operation is the kind of call: "start" (also for Restart), "raise", "update", "cancel",
	// "terminate", "suspend", "resume", "reschedule", "fire_timer", "retry_now", "redrive", "wake", "purge",
	// "complete", "fail", "heartbeat", "SetLimit", "ResetLimit" or "query".
	Operation string
	// Instance is the id of the instance that the call addresses. Name is the name of the
	// orchestration that is started, of the event that is raised, of the update or of the query, or the key
	// of a limit.
	Instance, Name string
	// Actor is the actor on whose behalf the client acts; empty if there is none.
	Actor string
	// Payload is the payload that is sent, as JSON: the input of a start, the data of an event, a
	// result, the details of a failure or a heartbeat, the number of a limit, or the input of an update or
	// a query. Do not change it.
	Payload json.RawMessage
	// Headers are sent with the message: at most 16, with 4,096 bytes in all. Headers of a start
	// are recorded, and passed to the activities and children of the instance. Headers of every
	// other call only connect the message to its trace, and are not recorded. The interceptor may
	// replace the map, but must not modify it, because it may belong to the caller.
	Headers map[string]string
}

func (i Interceptor) addTo(a *App) {
	switch {
	case i.Name == "":
		a.problems = append(a.problems, errors.New("turnstile: an interceptor has no name: set Interceptor.Name, which errors show"))
	case i.Orchestration == nil && i.Activity == nil && i.Query == nil && i.Client == nil:
		a.problems = append(a.problems, fmt.Errorf("turnstile: interceptor %q has no function: set Orchestration, Activity, Query or Client", i.Name))
	case i.Orchestration == nil && i.Activity == nil && i.Query == nil:
		a.problems = append(a.problems, fmt.Errorf("turnstile: interceptor %q has only Client, which an application does not use: pass it to client.Client.WithInterceptors", i.Name))
	}
	for _, other := range a.interceptors {
		if other.Name == i.Name && i.Name != "" {
			a.problems = append(a.problems, fmt.Errorf("turnstile: two interceptors of the application have the name %q: rename or remove one of them", i.Name))
			break
		}
	}
	a.interceptors = append(a.interceptors, i)
}

// withoutNext returns the error for an interceptor that neither called next nor returned an error.
func withoutNext(name string) *MisuseError {
	return &MisuseError{Call: "interceptor " + fmt.Sprintf("%q", name),
		Problem: "it neither called next nor returned an error: do one of them"}
}
