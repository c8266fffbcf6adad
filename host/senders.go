package host

// Senders says which messages are refused for who sent them.
type Senders struct {
	// ActivityRole is the unique id of the activity function's role, as
	// queue.Message.Sender begins with it ("AROA…"): what it sends besides what
	// workers send becomes a dead letter. Empty: no sender is judged.
	ActivityRole string
	// ActivitiesMaySend lets it send starts and events too.
	ActivitiesMaySend bool
}
