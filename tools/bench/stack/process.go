package stack

import (
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/embeddedmetrics"
	"github.com/turnstile-go/turnstile/internal/host/orchestrator"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/worker"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// process is one of the orchestrator function.
type process struct {
	*orchestrator.Orchestrator
	told *embeddedmetrics.Metrics
}

func (s *Stack) process() *process {
	// The key is read in a cold start, ahead of the first message.
	keys, err := keyring.New(keyring.Config{Keys: s.keys})
	s.must(err)
	metrics := s.metrics("orchestrator")
	o, err := orchestrator.New(orchestrator.Config{
		Orchestrations: s.code,
		Inline:         s.inline,
		Services:       orchestrator.Services{Store: s.metered, Stops: s.stops, Queues: s.queues, Timer: s.timers},
		Keys:           keys,
		Settings:       host.Settings{SendWindow: s.setting.SendWindow, Turn: host.TurnSettings{BlockLimit: -1}},
		Environment:    platform.Environment{Observer: told{metrics}},
	})
	s.must(err)
	s.t.Cleanup(o.Close)
	return &process{o, metrics}
}

// workerProcess is one of the activity function.
type workerProcess struct {
	*worker.Worker
	told *embeddedmetrics.Metrics
}

func (s *Stack) workerProcess() *workerProcess {
	metrics := s.metrics("activity")
	w, err := worker.New(worker.Config{
		Activities: s.inline, Stops: s.stops, Queues: s.queues,
		Settings:    host.Settings{SendWindow: s.setting.SendWindow},
		Environment: platform.Environment{Observer: told{metrics}},
	})
	s.must(err)
	return &workerProcess{w, metrics}
}

// backlog has the age of the first of a batch in the metrics, as package awslambda
// has that of the oldest.
func (p *process) backlog(batch []platform.Delivery, now time.Time) {
	if first := &batch[0]; first.Source == platform.SourceOrchestrator && first.Group != wire.SweepGroup {
		p.told.Backlog(now.Sub(first.SentAt))
	}
}

// metrics are those of a new process: lines of a log, which are counted.
func (s *Stack) metrics(function string) *embeddedmetrics.Metrics {
	return embeddedmetrics.New(embeddedmetrics.Config{Environment: "production", Function: function, Out: named{s.Meter.Log(), s}})
}

// told is what a process is told, with times that are as long to write as those of
// a real clock: virtual ones are whole milliseconds.
type told struct{ *embeddedmetrics.Metrics }

// Timing implements host.Observer.
func (t told) Timing(of host.Timing, d time.Duration) {
	t.Metrics.Timing(of, d+123*time.Microsecond)
}
