// Package bill counts what an application does with AWS services as they charge
// for it, and says what that costs at list prices.
//
// A [Meter] stands around queues, timers and stores, and counts each call that
// goes through it: SQS requests by their kind of queue and by 64 KB, DynamoDB
// units, schedules that fire, invocations of functions with their duration, bytes
// of logs. It needs no network and no SDK, so that a test can have a bill
// (turnstiletest's Env.Bill), and so can a benchmark (tools/bench/bill, of which the
// tables of docs/internal/performance.md are made).
package bill
