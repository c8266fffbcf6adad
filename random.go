package turnstile

import (
	"crypto/sha256"
	"math/rand/v2"
)

// Random returns a source of random numbers that returns the same numbers on every replay. A [UUID]
// seeds the source, so Random records one event, however many numbers are drawn. Each call returns
// a new source, so keep one and draw from it. NormFloat64 and ExpFloat64 may differ in the last bit
// between processor architectures: draw them in a [SideEffect].
//
// Random panics as [Now] does if it is misused.
func Random(ctx Context) *rand.Rand {
	seed, err := ctx.engine("Random").GUID()
	return rand.New(rand.NewChaCha8(sha256.Sum256([]byte(recorded("Random", seed, err)))))
}
