// Package queuetest is the suite that every implementation of queue.Queue
// passes: of the scenarios, and the contract's details.
//
// It decides nothing by the wall clock: it waits by receiving, checks lower
// bounds of durations only, and does not count on a batch being full. On an
// implementation in memory run it in virtual time (testing/synctest).
package queuetest
