// Package activity is what activity code and its surroundings share: the
// untyped registry of implementations, and what an attempt can learn about
// itself. Authors use the names that the module root gives these.
package activity
