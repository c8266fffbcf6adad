//go:build race

package engine_test

// raced reports whether the race detector runs, because stacks are larger then.
const raced = true
