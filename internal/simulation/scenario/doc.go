// Package scenario provides the subject of a simulated run: random programs, or the sample
// orders, and the clients that start, raise, cancel, terminate and purge instances.
package scenario
