// Package dispatch turns commits into the messages that follow from them, and sends
// these.
//
// An Outbox is a function of commits, a time and a Composer: it looks at events
// alone, reads nothing and sends nothing, so that it can be made again at any time.
// Every id derives from instance, execution and event, so that sending twice is
// harmless. A Sender knows queues, requests to stop and the timer service, and
// nothing of instances:
//
//	commit → Outbox.Add → parcels → Sender.Send
package dispatch
