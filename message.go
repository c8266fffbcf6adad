package turnstile

// RaiseTo raises the event for another instance, as client.Raise does from
// outside. It is sent once the turn is committed; whether such an instance
// exists, and what becomes of the event there, is not known here: for an
// instance that has ended it has no effect, and for one that is not started
// within 15 minutes it becomes a dead letter. It records one event.
//
// Errors: [*InvalidArgumentError], [*EncodeError], [*PayloadTooLargeError],
// [*CancelledError] in a cancelled scope. With an error nothing is recorded.
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

// CancelInstance asks another instance to stop, as client.Client.Cancel does from
// outside; a sub-orchestration is cancelled by its Future. It is sent once the
// turn is committed. It records one event.
//
// Errors: [*InvalidArgumentError], [*CancelledError] in a cancelled scope. With an
// error nothing is recorded.
func CancelInstance(ctx Context, instance, reason string) error {
	run := ctx.engine("CancelInstance")
	if err := validInstance(instance); err != nil {
		return err
	}
	return run.CancelInstance(instance, reason)
}

// TerminateInstance ends another instance, as client.Client.Terminate does from outside:
// its code is not asked, and undoes nothing. Use [CancelInstance] where it should. It is
// sent once the turn is committed. It records one event.
//
// Errors: [*InvalidArgumentError], [*CancelledError] in a cancelled scope. With an
// error nothing is recorded.
func TerminateInstance(ctx Context, instance, reason string) error {
	run := ctx.engine("TerminateInstance")
	if err := validInstance(instance); err != nil {
		return err
	}
	return run.TerminateInstance(instance, reason)
}
