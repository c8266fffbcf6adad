//go:build !race

package turnstile

// raced says whether the race detector runs: pools lose some of what they are given then.
const raced = false
