package host

// DeadLetter is a message that was moved to a dead-letter queue, because nothing could be
// done with it.
type DeadLetter struct {
	// Body as it was sent.
	Body string
	// Reason in a word, a colon and a text for people.
	Reason string
}
