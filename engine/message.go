package engine

import "github.com/turnstile-go/turnstile/history"

// A message to another instance is a system call: it is recorded once and has no
// completion. It is sent after the commit, each time the commit is dispatched, with an id
// derived from its event.

// RaiseEvent raises an external event for another instance. The code does not learn
// whether that instance exists.
func (c *Context) RaiseEvent(instance, name string, data []byte, normalize Normalizer) error {
	return c.message("RaiseEvent", &history.Event{Kind: history.SystemCall, Op: history.OpRaiseEvent, Name: name,
		Instance: instance, ExplicitID: true, Payload: data}, normalize)
}

// CancelInstance asks another instance to stop.
func (c *Context) CancelInstance(instance, reason string) error {
	return c.message("CancelInstance", &history.Event{Kind: history.SystemCall, Op: history.OpCancelInstance,
		Instance: instance, ExplicitID: true, Reason: reason}, nil)
}

// TerminateInstance ends another instance without running its code.
func (c *Context) TerminateInstance(instance, reason string) error {
	return c.message("TerminateInstance", &history.Event{Kind: history.SystemCall, Op: history.OpCancelInstance, Forced: history.ForcedByOperator,
		Instance: instance, ExplicitID: true, Reason: reason}, nil)
}

// ResumeInstance resumes another instance that waits for a permit of a limit. place, as
// JSON, identifies its OrchestrationSuspended.
func (c *Context) ResumeInstance(instance string, place []byte) error {
	return c.message("ResumeInstance", &history.Event{Kind: history.SystemCall, Op: history.OpResumeInstance,
		Instance: instance, ExplicitID: true, Payload: place}, nil)
}

// RefuseInstance ends another instance that waits for a permit of a limit. It affects only the
// execution that place identifies; see ResumeInstance.
func (c *Context) RefuseInstance(instance, reason string, place []byte) error {
	return c.message("RefuseInstance", &history.Event{Kind: history.SystemCall, Op: history.OpResumeInstance, Forced: history.ForcedByOperator,
		Instance: instance, ExplicitID: true, Reason: reason, Payload: place}, nil)
}

func (c *Context) message(call string, want *history.Event, normalize Normalizer) error {
	if _, err := c.x.enter(call, want.Name); err != nil {
		return err
	}
	if err := c.Err(); err != nil {
		return err
	}
	want.Label = c.label
	_, err := c.x.schedule(want, normalize)
	return err
}
