// Package timertest is the suite that every implementation of timer.Timer
// passes: what T-04, T-06 and T-07 of the scenarios ask of a timer, and the
// contract's details.
//
// It decides nothing by the wall clock: it waits for deliveries and checks
// lower bounds of durations only.
package timertest
