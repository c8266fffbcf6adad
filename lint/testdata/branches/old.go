//go:build go1.21

package branches

import "github.com/turnstile-go/turnstile/engine"

func old(run *engine.Context, orders []string) {
	for _, order := range orders {
		run.Go(func(*engine.Context) ([]byte, error) {
			return []byte(order), nil // want `capture: the captured loop variable order is shared by all iterations before Go 1.22, and has its last value when the branch first runs`
		})
	}
}
