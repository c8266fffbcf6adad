// Package embeddedmetrics writes what a process of a function counts and times as
// lines of its log, from which CloudWatch makes metrics.
//
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
package embeddedmetrics

import (
	"io"
	"strings"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/host"
)

// Namespace of the metrics in CloudWatch. Their one dimension is Environment.
const Namespace = "Turnstile"

// Attention counts what needs a person, so that one alarm, which costs as much as
// any other, watches all of it. Counted here are its reasons "stuck", "corrupt", "looping",
// "archive", "instance_events", "not_served" and those of host.CountHeldUp.
const Attention = "Attention"

// Window is how long a process collects ordinary counters and timings before it writes them.
const Window = 10 * time.Second

// sweepOutcome is what host counts sweeps as.
const sweepOutcome = "sweep"

// ordinary lists the counters, by reason, that wait for the next line. All others
// are written when their invocation ends, together with those that have waited.
var ordinary = map[host.Counter]map[string]bool{
	host.CountTurns:    {"waiting": true, "inline": true, "ended": true},
	host.CountMessages: {"recorded": true},
	host.CountCache:    {"warm": true, "cold": true, "evicted": true},
	host.CountAttempts: {"completed": true},
	host.CountPermits:  {"taken": true, "waits": true, "called": true, "returned": true, "rate waits": true},
}

// Config identifies the function whose metrics are written.
type Config struct {
	// Environment is the dimension of all metrics; Function a field of each line,
	// "orchestrator" or "activity".
	Environment, Function string
	// Out is the log: a Write is a line.
	Out io.Writer
	// Now is the time; nil for time.Now.
	Now func() time.Time
	// Each makes every invocation write its own line.
	Each bool
}

// Metrics collects the counters and timings of a process's invocations: counters as sums
// under their names (Turns, Returned, …), timings in milliseconds (CommitTime, …).
// The reasons of the counters are fields of a line, for log queries, and not
// dimensions, because each combination of dimensions is billed as a separate metric.
//
// Invocations share lines: what is ordinary (a message recorded, a turn committed, an
// attempt completed, and how long these took) is written at the end of the first
// invocation that ends a Window or more after the last line. An
// invocation in which anything else is counted ends with a line. What a process
// still holds it writes as soon as it is invoked again later than that, under the
// time at which it was counted, or when it is told that it ends (Flush).
//
// It is safe for concurrent use.
type Metrics struct {
	host.NoObserver
	config Config

	mu      sync.Mutex
	counts  map[string]int
	reasons map[string]map[string]int
	values  map[string]*series
	// wrote is when the last line was written; held is when the last of what is
	// held was counted; due says that it has to be written with this invocation.
	wrote, held time.Time
	due         bool
}

// New returns metrics that have counted nothing.
func New(c Config) *Metrics {
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().Round(0) } // A frozen process may have slept meanwhile.
	}
	return &Metrics{config: c, counts: map[string]int{}, reasons: map[string]map[string]int{}, values: map[string]*series{}}
}

// Count implements host.Observer.
func (m *Metrics) Count(c host.Counter, reason string, n int) {
	if c == host.CountMessages && reason == sweepOutcome {
		return // A metric of an idle stack would cost more than the sweeps themselves.
	}
	m.add(Name(string(c)), reason, n, !ordinary[c][reason])
	if c == host.CountDelayed && reason == "not_served" {
		m.Add(Attention, reason, n) // A queue that is to be deployed, or a misspelt name.
	}
	if c == host.CountHeldUp {
		m.Add(Attention, reason, n)
	}
	if c == host.CountStuck || c == host.CountCorrupt || c == host.CountLooping || (c == host.CountArchive || c == host.CountInstanceEvents) && reason == "failed" {
		m.Add(Attention, string(c), n)
	}
}

// Add counts something that is not ordinary, under a reason in one or few words.
func (m *Metrics) Add(name, reason string, n int) { m.add(name, reason, n, true) }

// Throttled counts a refusal for the rate, under service and operation.
func (m *Metrics) Throttled(operation string) { m.Add("Throttled", operation, 1) }

func (m *Metrics) add(name, reason string, n int, due bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.due = m.due || due
	m.counts[name] += n
	if reason == "" {
		return
	}
	if m.reasons[name] == nil {
		m.reasons[name] = map[string]int{}
	}
	m.reasons[name][reason] += n
}

// Timing implements host.Observer.
func (m *Metrics) Timing(t host.Timing, d time.Duration) {
	if t == host.TimeMessageAge {
		return // The age of a group's oldest message says it for less: each metric has its price.
	}
	m.value(Name(string(t))+"Time", "Milliseconds", float64(d)/float64(time.Millisecond))
}

// GroupBacklogAge is how long the oldest message of an invocation's groups has
// waited, in seconds. The age that SQS reports leaves out a message that came
// back several times, and so the group that is held up by it.
const GroupBacklogAge = "GroupBacklogAge"

// Backlog is a GroupBacklogAge.
func (m *Metrics) Backlog(age time.Duration) { m.value(GroupBacklogAge, "Seconds", age.Seconds()) }

// value is one of a metric, with CloudWatch's word for the unit.
func (m *Metrics) value(name, unit string, v float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values[name] == nil {
		m.values[name] = &series{unit: unit}
	}
	m.values[name].add(v)
	m.due = m.due || len(m.values[name].values) >= nearlyFull
}

// Name is the name of a metric of a counter: "DeadLettered" of "dead_lettered". Times
// have "Time" behind it.
func Name(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// Start is called when an invocation begins: what the process has held for too long
// is written. Lambda stops a process between two invocations, for minutes perhaps.
func (m *Metrics) Start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holds() && m.config.Now().Sub(m.held) >= Window {
		before := m.wrote
		m.write()
		m.wrote = before // This invocation is one after a pause.
	}
}

// End is called when an invocation ends.
func (m *Metrics) End() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = m.config.Now()
	if m.due || m.config.Each || m.held.Sub(m.wrote) >= Window {
		m.write()
	}
}

// Flush writes what is held, for a process that ends.
func (m *Metrics) Flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.write()
}

func (m *Metrics) holds() bool { return len(m.counts)+len(m.values) > 0 }
