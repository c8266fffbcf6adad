// Package platform defines the inputs of the handlers: the received messages, the queues to send
// to, clock, randomness and logger.
//
// There are two handlers, and neither knows the other. Package orchestrator turns an instance's
// messages into turns; package worker runs attempts of activities. Each takes one batch of messages
// at a time and returns those that are not done. They do not depend on Lambda: awslambda, embedded
// and turnstiletest each pass them queues, a store and a timer.
//
// Without a block limit, the handlers are deterministic: equal inputs give equal results.
package platform
