// Package pausing turns the event sources of a stack off, so that no turn and no activity starts, and
// turns them on again.
package pausing
