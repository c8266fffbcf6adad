// Package bill counts an application's use of AWS services in the units that AWS charges
// for, and estimates the cost at list prices.
//
// A [Meter] wraps queues, timers and stores and counts each call: SQS requests by kind of
// queue and per 64 KB, DynamoDB units, schedules that fire, invocations of functions with
// their duration, bytes of logs. It needs no network and no SDK, so tests can use it
// (turnstiletest's Env.Bill), and so can benchmarks (tools/bench/bill, which produces the
// tables of docs/internal/performance.md).
package bill
