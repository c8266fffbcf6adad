// Package timertest is the suite that every implementation of timer.Timer passes. It
// tests scenarios T-04, T-06 and T-07 and the details of the contract.
//
// No result depends on the wall clock: the suite waits for deliveries, and checks only
// lower bounds of durations.
package timertest
