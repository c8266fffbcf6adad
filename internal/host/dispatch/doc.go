// Package dispatch makes the messages that follow from commits, and sends them.
//
// An Outbox is a function of commits, a time and a Composer. It uses only events and does no I/O,
// so the same outbox can be computed again at any time. Every id derives from instance, execution
// and event, so sending twice is harmless. A Sender knows queues, stop requests and the timer
// service, but no instances:
//
//	commit → Outbox.Add → outgoing messages → Sender.Send
package dispatch
