// Package pausing turns the event sources of a stack off, so that no turn and no activity
// begins, and on again.
package pausing
