package turnstile

// RaiseTo raises the event for another instance, as client.Raise does from outside. The event is
// sent after the turn is committed. RaiseTo does not report whether the instance exists or uses the
// event: the event has no effect if the instance has ended, and becomes a dead letter if the
// instance is not started within 15 minutes. RaiseTo records one event.
//
// Errors: [*InvalidArgumentError], [*EncodeError], [*PayloadTooLargeError], and [*CancelledError]
// in a cancelled scope. If it returns an error, nothing is recorded.
func (e Event[T]) RaiseTo(ctx Context, instance string, data T) error {
	run := ctx.engine(e.name)
	if e.source == "" || e.problem != nil {
		panic(unsound("Event.RaiseTo", e.name, "NewEvent", e.problem))
	}
	if err := validInstance(instance); err != nil {
		return err
	}
	payload, err := encode(data, "data of event", e.name)
	if err != nil {
		return err
	}
	return run.RaiseEvent(instance, e.name, payload, normalize[T])
}

// CancelInstance asks another instance to stop, as client.Client.Cancel does from outside. The
// request is sent after the turn is committed. To cancel a sub-orchestration, use its Future.
// CancelInstance records one event.
//
// Errors: [*InvalidArgumentError], and [*CancelledError] in a cancelled scope. If it returns an
// error, nothing is recorded.
func CancelInstance(ctx Context, instance, reason string) error {
	run := ctx.engine("CancelInstance")
	if err := validInstance(instance); err != nil {
		return err
	}
	return run.CancelInstance(instance, reason)
}

// TerminateInstance ends another instance, as client.Client.Terminate does from outside: the
// instance's code does not run again, not even to clean up. To let it clean up, use
// [CancelInstance]. The request is sent after the turn is committed. TerminateInstance records one
// event.
//
// Errors: [*InvalidArgumentError], and [*CancelledError] in a cancelled scope. If it returns an
// error, nothing is recorded.
func TerminateInstance(ctx Context, instance, reason string) error {
	run := ctx.engine("TerminateInstance")
	if err := validInstance(instance); err != nil {
		return err
	}
	return run.TerminateInstance(instance, reason)
}
