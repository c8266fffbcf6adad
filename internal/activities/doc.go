// Package activities holds the untyped implementations of activities by name, decides whether another attempt follows a
// failed one, and describes an attempt to its code.
package activities
