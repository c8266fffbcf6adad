// Package scenario is what a simulated run is about: random programs, or the sample
// orders, and the clients that start, raise, cancel, terminate and purge instances.
package scenario
