package awslambda

import (
	"encoding/json"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/host"
)

// Namespace of the metrics in CloudWatch. Their one dimension is Environment.
const Namespace = "Turnstile"

// groupBacklogAge is how long the oldest message of an invocation's groups has
// waited, in seconds. The age that SQS reports leaves out a message that came
// back several times, and so the group that is held up by it.
const groupBacklogAge = "GroupBacklogAge"

// attention counts what needs a person, so that one alarm, which costs as much
// as any other, watches all of it. Its reasons: "stuck" and "corrupt" for
// instances, "backlog" for an instance whose messages have waited longer than
// Environment.BacklogAge, "activity_dead" for an activity that no delivery has
// finished, "returning" for a message of another queue than the
// FIFO one that has come back returnedOften times.
const attention = "Attention"

// sweepOutcome is what host counts sweeps as.
const sweepOutcome = "sweep"

// maxValues is how many values of a metric one line may carry.
const maxValues = 100

// metrics collects what the host observes and writes it, once an invocation,
// as a line in CloudWatch's embedded metric format: counters as sums under
// their names (Turns, HandedBack, …), timings in milliseconds (CommitTime, …).
// The reasons of the counters are fields of the line, for queries of the log,
// and no dimensions, which would each cost as a metric of its own.
type metrics struct {
	host.NoObserver
	environment string
	function    string
	out         io.Writer
	now         func() time.Time

	mu      sync.Mutex
	counts  map[string]int
	reasons map[string]map[string]int
	values  map[string][]float64
	units   map[string]string
}

func newMetrics(environment, function string, out io.Writer, now func() time.Time) *metrics {
	m := &metrics{environment: environment, function: function, out: out, now: now}
	m.clear()
	return m
}

func (m *metrics) clear() {
	m.counts, m.reasons = map[string]int{}, map[string]map[string]int{}
	m.values, m.units = map[string][]float64{}, map[string]string{}
}

// Count implements host.Observer.
func (m *metrics) Count(c host.Counter, reason string, n int) {
	if c == host.CountMessages && reason == sweepOutcome {
		return // A metric of an idle stack would cost more than the sweeps themselves.
	}
	m.add(metricName(string(c)), reason, n)
	if c == host.CountStuck || c == host.CountCorrupt {
		m.add(attention, string(c), n)
	}
}

// throttled counts a refusal for the rate, under service and operation.
func (m *metrics) throttled(operation string) { m.add("Throttled", operation, 1) }

func (m *metrics) add(name, reason string, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
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
func (m *metrics) Timing(t host.Timing, d time.Duration) {
	if t == host.TimeMessageAge {
		return // groupBacklogAge says it for less: each metric has its price.
	}
	m.value(metricName(string(t))+"Time", "Milliseconds", float64(d)/float64(time.Millisecond))
}

func (m *metrics) value(name, unit string, v float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[name] = append(m.values[name], v)
	m.units[name] = unit
}

// metricName writes "dead_lettered" as "DeadLettered".
func metricName(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// flush writes what was collected since the last one, and nothing if that is
// nothing. Timings beyond what a line may carry go into further lines.
func (m *metrics) flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.counts)+len(m.values) > 0 {
		line, err := json.Marshal(m.line())
		if err != nil {
			// Strings and finite numbers only: it does not happen, and a metric
			// must not fail an invocation.
			return
		}
		_, _ = m.out.Write(append(line, '\n'))
	}
}

// line takes one line's worth out of what was collected.
func (m *metrics) line() map[string]any {
	type definition struct{ Name, Unit string }
	var definitions []definition
	line := map[string]any{"Environment": m.environment, "function": m.function}
	for name, n := range m.counts {
		line[name] = n
		definitions = append(definitions, definition{name, "Count"})
	}
	if len(m.reasons) > 0 {
		line["reasons"] = m.reasons
	}
	m.counts, m.reasons = map[string]int{}, map[string]map[string]int{}
	for name, values := range m.values {
		n := min(len(values), maxValues)
		line[name] = values[:n]
		definitions = append(definitions, definition{name, m.units[name]})
		if n == len(values) {
			delete(m.values, name)
		} else {
			m.values[name] = values[n:]
		}
	}
	line["_aws"] = map[string]any{
		"Timestamp": m.now().UnixMilli(),
		"CloudWatchMetrics": []any{map[string]any{
			"Namespace":  Namespace,
			"Dimensions": [][]string{{"Environment"}},
			"Metrics":    definitions,
		}},
	}
	return line
}

// observers tells several.
type observers []host.Observer

func (o observers) Count(c host.Counter, reason string, n int) {
	for _, each := range o {
		each.Count(c, reason, n)
	}
}

func (o observers) Timing(t host.Timing, d time.Duration) {
	for _, each := range o {
		each.Timing(t, d)
	}
}

func (o observers) Committed(c host.Committed) {
	for _, each := range o {
		each.Committed(c)
	}
}

func (o observers) ProblemChanged(c host.ProblemChange) {
	for _, each := range o {
		each.ProblemChanged(c)
	}
}
