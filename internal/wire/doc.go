// Package wire is the JSON contract of work items: the bodies of the messages
// on Turnstile's queues. Anything that can send to SQS may send one. The
// contract, with an example of every item, is docs/messages.md.
package wire
