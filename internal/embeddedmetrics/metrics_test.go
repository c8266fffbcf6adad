package embeddedmetrics

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/host"
)

func TestAnInvocationsMetricsAreOneLineInEmbeddedMetricFormat(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	m := New(Config{Environment: "production", Function: "orchestrator", Out: &out, Now: func() time.Time { return time.UnixMilli(1_700_000_000_000) }})
	m.Count(host.CountMessages, "recorded", 2)
	m.Count(host.CountMessages, "duplicate", 1)
	m.Count(host.CountDeadLettered, "malformed", 1)
	m.Timing(host.TimeCommit, 1500*time.Microsecond)
	m.Flush()
	m.Flush() // nothing new: no line

	var line struct {
		AWS struct {
			Timestamp         int64
			CloudWatchMetrics []struct {
				Namespace  string
				Dimensions [][]string
				Metrics    []struct{ Name, Unit string }
			}
		} `json:"_aws"`
		Environment  string
		Messages     int
		DeadLettered int
		CommitTime   []float64
		Reasons      map[string]map[string]int
	}
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("not one JSON line: %v\n%s", err, out.String())
	}
	directive := line.AWS.CloudWatchMetrics[0]
	units := map[string]string{}
	for _, d := range directive.Metrics {
		units[d.Name] = d.Unit
	}
	if directive.Namespace != "Turnstile" || len(directive.Dimensions) != 1 || directive.Dimensions[0][0] != "Environment" || line.Environment != "production" {
		t.Errorf("namespace and dimensions are %+v of %q", directive, line.Environment)
	}
	if len(units) != 3 || units["Messages"] != "Count" || units["DeadLettered"] != "Count" || units["CommitTime"] != "Milliseconds" {
		t.Errorf("metrics are %v", units)
	}
	if line.Messages != 3 || line.DeadLettered != 1 || len(line.CommitTime) != 1 || line.CommitTime[0] != 1.5 {
		t.Errorf("values are %+v", line)
	}
	if line.Reasons["Messages"]["duplicate"] != 1 || line.Reasons["DeadLettered"]["malformed"] != 1 {
		t.Errorf("reasons are %v", line.Reasons)
	}
	if line.AWS.Timestamp != 1_700_000_000_000 {
		t.Errorf("timestamp is %d", line.AWS.Timestamp)
	}
}

func TestALineCarriesNoMoreValuesThanCloudWatchTakes(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 99, 100, 101, 200, 201, 250, 1000, 100_000} {
		var out bytes.Buffer
		m := New(Config{Out: &out})
		for i := range n {
			m.Timing(host.TimeTurn, time.Duration(i)*time.Millisecond)
		}
		m.Count(host.CountTurns, "running", n)
		m.Flush()
		var line struct {
			TurnTime []float64
			Turns    int
		}
		if err := json.Unmarshal(out.Bytes(), &line); err != nil {
			t.Fatalf("not one line: %v", err)
		}
		values := line.TurnTime
		if least := min(n, 50); len(values) > 100 || len(values) < least || line.Turns != n {
			t.Fatalf("of %d turns a line has %d, with %d values; want %d to 100", n, line.Turns, len(values), least)
		}
		// They are spread evenly over all.
		for i := range values {
			if want := values[len(values)-1] * float64(i) / float64(max(len(values)-1, 1)); values[i] != want {
				t.Fatalf("of %d, value %d is %v, want %v of %v", n, i, values[i], want, values)
			}
		}
		if last := values[len(values)-1]; last < float64(n)*0.97-1 {
			t.Errorf("of %d the last is %v", n, last)
		}
	}
}

func TestASweepThatFindsNothingWritesNoMetric(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	m := New(Config{Environment: "production", Function: "orchestrator", Out: &out, Now: time.Now})
	m.Count(host.CountMessages, "sweep", 1)
	m.Flush()
	if out.Len() > 0 {
		t.Errorf("an idle stack pays for the metrics of %s", out.String())
	}
}

func TestAttentionIsCountedInAdditionToItsOwnCounter(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	m := New(Config{Out: &out})
	m.Count(host.CountStuck, "panic", 1)
	m.Count(host.CountCorrupt, "", 2)
	m.Count(host.CountLooping, "message", 4)
	m.Count(host.CountDelayed, "not_served", 1)
	m.Count(host.CountDelayed, "not_due", 1)
	m.Count(host.CountTurns, "running", 4)
	m.Flush()
	if !strings.Contains(out.String(), `"Attention":8`) || !strings.Contains(out.String(), `"Attention":{"corrupt":2,"looping":4,"not_served":1,"stuck":1}`) {
		t.Errorf("want 8, with their reasons, in\n%s", out.String())
	}
}

// process is one whose invocations are at stated times.
type process struct {
	*Metrics
	now time.Time
	out bytes.Buffer
}

func newProcess() *process {
	p := &process{now: time.UnixMilli(1_700_000_000_000)}
	p.Metrics = New(Config{Environment: "test", Function: "orchestrator", Out: &p.out, Now: func() time.Time { return p.now }})
	return p
}

// invoke returns how many lines are written by an invocation that takes no time, so
// long after the one before.
func (p *process) invoke(after time.Duration, happens func()) int {
	p.now = p.now.Add(after)
	before := strings.Count(p.out.String(), "\n")
	p.Start()
	happens()
	p.End()
	return strings.Count(p.out.String(), "\n") - before
}

func (p *process) turn() {
	p.Count(host.CountMessages, "recorded", 1)
	p.Count(host.CountCache, "warm", 1)
	p.Count(host.CountTurns, "waiting", 1)
	p.Timing(host.TimeTurn, 4*time.Millisecond)
}

// turns sums the metric over the lines, and checks it against their values; at are
// the lines' times.
func (p *process) turns(t *testing.T) (sum int, at []time.Duration) {
	t.Helper()
	values := 0
	for line := range strings.Lines(p.out.String()) {
		var l struct {
			AWS      struct{ Timestamp int64 } `json:"_aws"`
			Turns    int
			TurnTime []float64
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		sum, values = sum+l.Turns, values+len(l.TurnTime)
		at = append(at, time.Duration(l.AWS.Timestamp-1_700_000_000_000)*time.Millisecond)
	}
	if values != sum {
		t.Errorf("%d turns, of which %d are timed", sum, values)
	}
	return sum, at
}

func TestOrdinaryInvocationsOfAProcessShareALine(t *testing.T) {
	t.Parallel()
	p := newProcess()
	lines := 0
	for range 200 { // 20 seconds
		lines += p.invoke(100*time.Millisecond, p.turn)
	}
	p.Flush()
	// The first, then as soon as a line is nearly full or ten seconds have passed.
	if sum, _ := p.turns(t); lines != 3 || sum != 200 {
		t.Errorf("%d lines ahead of the last, with %d turns in all; want 3 and 200", lines, sum)
	}
}

func TestSomeInvocationsHaveTheirOwnLine(t *testing.T) {
	t.Parallel()
	p := newProcess()
	for n := range 3 {
		if lines := p.invoke(Window, p.turn); lines != 1 {
			t.Errorf("invocation %d writes %d lines, want 1", n, lines)
		}
	}
}

func TestWhatIsOutOfTheOrdinaryIsWrittenWithItsInvocation(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(p *process){
		"a conflict":              func(p *process) { p.Count(host.CountConflicts, "warm", 1) },
		"a message handed back":   func(p *process) { p.Count(host.CountReturned, "store", 1) },
		"a duplicate":             func(p *process) { p.Count(host.CountMessages, "duplicate", 1) },
		"a turn that is stuck":    func(p *process) { p.Count(host.CountStuck, "panic", 1) },
		"an attempt that failed":  func(p *process) { p.Count(host.CountAttempts, "error", 1) },
		"a throttled request":     func(p *process) { p.Throttled("SQS SendMessage") },
		"a dead letter":           func(p *process) { p.Count(host.CountDeadLettered, "malformed", 1) },
		"what a person looks at":  func(p *process) { p.Add(Attention, "backlog", 1) },
		"a counter not known yet": func(p *process) { p.Count("novel", "", 1) },
	} {
		p := newProcess()
		p.invoke(time.Second, p.turn)
		if lines := p.invoke(time.Second, p.turn); lines != 0 {
			t.Fatalf("an ordinary one writes %d lines", lines)
		}
		lines := p.invoke(time.Second, func() { happens(p); p.turn() })
		if sum, _ := p.turns(t); lines != 1 || sum != 3 {
			t.Errorf("%s: %d lines, %d turns so far, want 1 and 3", name, lines, sum)
		}
		if lines := p.invoke(time.Second, p.turn); lines != 0 {
			t.Errorf("%s: the next invocation writes %d lines", name, lines)
		}
	}
}

func TestMetricsOfAStoppedProcessHaveTheTimeAtWhichTheyWereCounted(t *testing.T) {
	t.Parallel()
	p := newProcess()
	p.invoke(0, p.turn)
	p.invoke(time.Second, p.turn)
	if lines := p.invoke(time.Hour, p.turn); lines != 2 {
		t.Errorf("%d lines an hour later, want one of then and one of now", lines)
	}
	p.invoke(time.Second, p.turn)
	p.now = p.now.Add(5 * time.Minute)
	p.Flush()
	sum, at := p.turns(t)
	want := []time.Duration{0, time.Second, time.Hour + time.Second, time.Hour + 2*time.Second}
	if sum != 4 || !slices.Equal(at, want) {
		t.Errorf("%d turns, lines of %v; want 4, %v", sum, at, want)
	}
}

func TestEachInvocationHasItsOwnLineOnRequest(t *testing.T) {
	t.Parallel()
	p := newProcess()
	p.config.Each = true
	for range 3 {
		if lines := p.invoke(time.Millisecond, p.turn); lines != 1 {
			t.Errorf("%d lines, want 1", lines)
		}
	}
}
