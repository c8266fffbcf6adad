package cost

import (
	"syscall"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/host"
)

// BenchmarkWarmStep reports the processor's time of a step of a warm chain:
// message, turn, commit, attempt and completion, all in memory.
func BenchmarkWarmStep(b *testing.B) {
	const steps = 2000
	b.ReportAllocs()
	begin := processor(b)
	for b.Loop() {
		chain(b, steps, 1, host.Settings{})
	}
	b.ReportMetric(float64((processor(b)-begin).Microseconds())/float64(b.N)/steps, "µs-CPU/step")
}

func processor(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
