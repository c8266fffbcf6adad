// Package bench compares the replay of Turnstile with that of Temporal's Go
// SDK on the same shapes: a chain of 1,000 steps, a fan-out of 1,000, and 100
// rounds of a select with a timer that loses. It is a module of its own, so
// that nobody who imports Turnstile inherits its peers.
//
//	cd bench && go test -bench . -benchmem
package bench
