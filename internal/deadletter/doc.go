// Package deadletter looks into the two final dead-letter queues, and redrives or
// deletes what stands there. It is what the command line and the console share.
//
// A queue of messages cannot be listed: whoever looks receives, which hides a
// message from others for that moment, and counts as a receive. Of one message
// group the first ten are seen, and those behind them only when these are gone.
package deadletter
