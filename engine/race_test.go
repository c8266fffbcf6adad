//go:build race

package engine_test

// raced says whether the race detector runs: stacks are larger then.
const raced = true
