// Package activities has the untyped implementations of activities by their names, when
// an attempt of one is followed by another, and what an attempt can learn about itself.
package activities
