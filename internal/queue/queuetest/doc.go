// Package queuetest is the test suite that every implementation of queue.Queue passes: scenarios Q-01
// to Q-07, and the details of the contract.
//
// Nothing depends on the wall clock: the suite waits by receiving, checks only lower bounds of
// durations, and does not expect full batches. Run it in virtual time for an implementation in memory
// (testing/synctest).
package queuetest
