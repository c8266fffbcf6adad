// Package dispatch makes the messages that follow from commits, and sends them.
//
// An Outbox is a function of commits, a time and a Composer: it uses events alone, and reads and
// sends nothing, so that it can be made again at any time. Every id derives from instance,
// execution and event, so sending twice is harmless. A Sender knows queues, stop requests and the
// timer service, and no instances:
//
//	commit → Outbox.Add → parcels → Sender.Send
package dispatch
