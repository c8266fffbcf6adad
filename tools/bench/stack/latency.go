package stack

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// spread is the standard deviation of the logarithm of what a call takes where calls
// vary: one in a hundred takes three times the mean or more, half take less than 0.9 of it.
const spread = 0.5

// latencies are what calls take: each as long as its mean, or, with a seed, drawn from
// a log-normal distribution of that mean. A draw follows from the seed, what the call is
// for and how many were for that before, so that equal runs draw the same whichever of
// two goroutines comes first.
type latencies struct {
	seed uint64

	mu    sync.Mutex
	drawn map[uint64]uint64
}

// take waits for as long as a call takes.
func (l *latencies) take(mean time.Duration, call, target string) {
	time.Sleep(l.draw(mean, call, target))
}

func (l *latencies) draw(mean time.Duration, call, target string) time.Duration {
	if l.seed == 0 {
		return mean
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(call + "\x00" + target))
	key := h.Sum64()
	l.mu.Lock()
	if l.drawn == nil {
		l.drawn = map[uint64]uint64{}
	}
	n := l.drawn[key]
	l.drawn[key]++
	l.mu.Unlock()
	r := rand.New(rand.NewPCG(l.seed, key+n*0x9e3779b97f4a7c15))
	return time.Duration(float64(mean) * math.Exp(spread*r.NormFloat64()-spread*spread/2))
}

// target is the instance that a message is for, which random parts of it do not change.
func target(body string) string {
	item, err := wire.ParseText(body)
	if err != nil {
		return ""
	}
	return item.Target()
}
