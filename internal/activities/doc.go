// Package activities has the untyped implementations of activities by their names, and when
// an attempt of one is followed by another.
package activities
