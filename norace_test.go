//go:build !race

package turnstile

// raced reports whether the race detector runs, which makes pools drop some of their items.
const raced = false
