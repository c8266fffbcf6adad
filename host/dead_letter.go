package host

// DeadLetter is a message that was moved to a dead-letter queue because it could not be processed.
type DeadLetter struct {
	// Body as it was sent.
	Body string
	// Reason is a one-word code, a colon and a text for people.
	Reason string
}
