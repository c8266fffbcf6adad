// Package host is what a process that runs orchestrations and activities hands to
// its handlers and is told by them: the messages that it received, the queues to
// send to, settings, clock and logger, and an observer.
//
// There are two handlers, and neither knows the other. [host/orchestrator] makes
// turns of the messages of an instance; [host/worker] runs attempts of activities.
// Both take one batch of messages at a time and return which of them are not done.
// They are free of Lambda: awslambda, embedded and turnstiletest each give them
// queues, a store and a timer.
//
// The clock, the randomness, the starting of goroutines and what runs side by side
// are handed in ([Environment]). Without a block limit and with inputs that repeat,
// so does everything that happens here.
//
// [host/orchestrator]: https://pkg.go.dev/github.com/turnstile-go/turnstile/host/orchestrator
// [host/worker]: https://pkg.go.dev/github.com/turnstile-go/turnstile/host/worker
package host
