// Package wire is the JSON contract of work items: the bodies of the messages on
// Turnstile's queues. Any program that can send to SQS can send one. docs/messages.md
// documents the contract, with an example of every item.
package wire
