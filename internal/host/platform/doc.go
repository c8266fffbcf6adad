// Package platform is what whoever runs the handlers hands to them: the messages that it has
// received, the queues to send to, clock, randomness and logger.
//
// There are two handlers, and neither knows the other. Package orchestrator makes turns of the
// messages of an instance; package worker runs attempts of activities. Both take one batch of
// messages at a time and return which of them are not done. They are free of Lambda: awslambda,
// embedded and turnstiletest each give them queues, a store and a timer.
//
// Without a block limit, and with inputs that repeat, all that happens in them repeats too.
package platform
