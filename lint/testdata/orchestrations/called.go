package orchestrations

import (
	"slices"

	"example.com/library"
	"example.com/shop/helpers"
	"github.com/turnstile-go/turnstile"
)

func calls(ctx turnstile.Context, o order, clock helpers.Clock) {
	_ = helpers.Stamp(o.ID)           // want `clock: helpers.Stamp reaches \(through stamp, now\) time.Now, which reads the wall clock, at helpers.go:16; use turnstile.Now`
	_ = helpers.Rate()                // want `sync: helpers.Rate reaches sync.Once.Do` `env: helpers.Rate reaches os.Getenv`
	_ = helpers.Counter[int]{}.Wait() // want `clock: helpers.Counter.Wait reaches time.Sleep`
	_ = helpers.Ping(3)               // want `clock: helpers.Ping reaches time.Now`
	_ = helpers.Pong(3)               // want `clock: helpers.Pong reaches \(through Ping\) time.Now`
	_ = helpers.Known()
	_ = helpers.Guarded(ctx)
	_ = helpers.Changing // want `global: the package-level variable helpers.Changing is written by Change, at helpers.go:\d+`
	_ = clock.Now()      // Not followed: an interface.

	slices.SortFunc([]int{2, 1}, byChance) // want `random: byChance reaches rand.Int, which is not the same on replay`
	_ = library.Cached(o.ID)               // The locks of another module are its own.
	_ = library.Stamp()                    // want `clock: library.Stamp reaches time.Now`
}
