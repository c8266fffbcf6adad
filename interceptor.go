package turnstile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Interceptor runs around what an application or a client does: for
// authorisation, logging, metrics, tracing. It is a [Part] of an [App], which
// takes its Orchestration and Activity, and is given to Client.WithInterceptors, which takes
// its Client; so one value serves all three. A function that is nil
// costs nothing, and neither does an application or a client without interceptors.
//
//	app := turnstile.NewApp(audit, metrics, Fulfil.Implement(fulfil), Charge.Implement(charge))
//	c = c.WithInterceptors(audit, metrics)
//
// The first that is given is the outermost. Each function calls next, which runs
// the following interceptors and then what is intercepted, and returns its error,
// or another. Payloads can be seen and not changed.
type Interceptor struct {
	// Name of the interceptor, in errors; unique in an application.
	Name string

	// Orchestration runs around the code of an orchestration, once for each
	// execution, and again on each replay: what stands before next runs whenever
	// the code is run from its beginning, what stands behind it when the execution
	// ends, and again where that commit is lost. A line that [Logger] writes and a
	// function that [AfterCommit] is given come once.
	//
	// Its own code has to be deterministic and records nothing: it may read
	// [Info], log, set custom status and search attributes, and hand on headers
	// ([WithHeaders]). So it can be added and taken out while instances run. A
	// durable call in it returns a [*MisuseError] and makes the instance stuck, as a
	// panic does; the reason names the interceptor. Without calling next it has to
	// return an error, with which the orchestration fails; next is called once.
	Orchestration func(ctx Context, call *OrchestrationCall, next func(Context) error) error

	// Activity runs around each attempt of an activity, inline or on a worker,
	// inside of its time limits and its context: [ActivityInfo] and [Heartbeat]
	// work. A returned error is the attempt's, with its retries; a panic is a failed
	// attempt whose message names the interceptor. Without calling next it has to
	// return an error; calling it again is another try within the attempt.
	Activity func(ctx context.Context, call *ActivityCall, next func(context.Context) error) error

	// Client runs around each call of a client that sends something. It may change
	// the headers of the call; see [ClientCall]. It must not call the client that it
	// intercepts with its own context. Calling next again sends again, under the
	// same ids, which is harmless.
	Client func(ctx context.Context, call *ClientCall, next func(context.Context) error) error
}

// OrchestrationCall is an orchestration's execution as an [Interceptor] meets it;
// [Info] has the rest. Not to be changed.
type OrchestrationCall struct {
	// Input, JSON.
	Input json.RawMessage
	// Output, JSON, once next has returned without an error.
	Output json.RawMessage
}

// ActivityCall is an attempt of an activity as an [Interceptor] meets it;
// [ActivityInfo] has the rest. Not to be changed.
type ActivityCall struct {
	// Input, JSON.
	Input json.RawMessage
	// Result, JSON, once next has returned without an error.
	Result json.RawMessage
}

// ClientCall is a call of a client as an [Interceptor] meets it.
type ClientCall struct {
	// Operation: "start" (of Rerun too), "raise", "cancel", "terminate", "suspend",
	// "resume", "reschedule", "fire_timer", "retry_now", "redrive", "wake", "purge", "complete", "fail",
	// "heartbeat", "SetLimit" or "ResetLimit".
	Operation string
	// Instance that it is about, and Name of the orchestration that is started, or
	// of the event that is raised, or the key of a limit.
	Instance, Name string
	// Actor on whose behalf the client acts; empty for none.
	Actor string
	// Payload that is sent, JSON: the input of a start, the data of an event, a
	// result, details of a failure or a heartbeat, the number of a limit. Not to be changed.
	Payload json.RawMessage
	// Headers that go with the message: at most 16, 4,096 bytes in all. Those of a
	// start are recorded, and go to its activities and children; headers of any other
	// call tell the trace that it belongs to, and are not recorded. The interceptor
	// may replace them; the map that is there may be the caller's own.
	Headers map[string]string
}

func (i Interceptor) addTo(a *App) {
	switch {
	case i.Name == "":
		a.problems = append(a.problems, errors.New("turnstile: an interceptor has no name: set Interceptor.Name, by which errors call it"))
	case i.Orchestration == nil && i.Activity == nil && i.Client == nil:
		a.problems = append(a.problems, fmt.Errorf("turnstile: interceptor %q has no function: set Orchestration, Activity or Client", i.Name))
	case i.Orchestration == nil && i.Activity == nil:
		a.problems = append(a.problems, fmt.Errorf("turnstile: interceptor %q has only Client, for which an application has no use: give it to client.Client.WithInterceptors", i.Name))
	}
	for _, other := range a.interceptors {
		if other.Name == i.Name && i.Name != "" {
			a.problems = append(a.problems, fmt.Errorf("turnstile: two interceptors of the application are called %q: give one of them another Name, or leave it out", i.Name))
			break
		}
	}
	a.interceptors = append(a.interceptors, i)
}

// withoutNext is the mistake of an interceptor that neither calls next nor
// returns an error.
func withoutNext(name string) *MisuseError {
	return &MisuseError{Call: "interceptor " + fmt.Sprintf("%q", name),
		Problem: "it returned no error and has not called next: call next, or return an error"}
}
