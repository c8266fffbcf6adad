package awslambda

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/host"
)

func TestAnInvocationsMetricsAreOneLineInEmbeddedMetricFormat(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	m := newMetrics("production", "orchestrator", &out, func() time.Time { return time.UnixMilli(1_700_000_000_000) })
	m.Count(host.CountMessages, "recorded", 2)
	m.Count(host.CountMessages, "duplicate", 1)
	m.Count(host.CountDeadLettered, "malformed", 1)
	m.Timing(host.TimeCommit, 1500*time.Microsecond)
	m.flush()
	m.flush() // nothing new: no line

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
	var out bytes.Buffer
	m := newMetrics("test", "orchestrator", &out, time.Now)
	for range 250 {
		m.Timing(host.TimeTurn, time.Millisecond)
	}
	m.Count(host.CountTurns, "running", 250)
	m.flush()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines, want 3", len(lines))
	}
	values, turns := 0, 0
	for _, l := range lines {
		var line struct {
			TurnTime []float64
			Turns    int
		}
		if err := json.Unmarshal([]byte(l), &line); err != nil {
			t.Fatal(err)
		}
		if len(line.TurnTime) > 100 {
			t.Errorf("a line has %d values", len(line.TurnTime))
		}
		values += len(line.TurnTime)
		turns += line.Turns
	}
	if values != 250 || turns != 250 {
		t.Errorf("%d values and %d turns in all, want 250 and 250", values, turns)
	}
}

func TestAnObserverOfTheUsersIsToldBesideTheMetrics(t *testing.T) {
	t.Parallel()
	mine, ours := newMetrics("mine", "f", &bytes.Buffer{}, time.Now), newMetrics("ours", "f", &bytes.Buffer{}, time.Now)
	o := collect([]Option{WithObserver(mine)})
	both := o.observers(ours, slog.New(slog.DiscardHandler))
	both.Count(host.CountTurns, "running", 1)
	both.Timing(host.TimeTurn, time.Second)
	both.Committed(host.Committed{})
	for _, m := range []*metrics{mine, ours} {
		if m.counts["Turns"] != 1 || len(m.values["TurnTime"]) != 1 {
			t.Errorf("%s was told %v and %v", m.environment, m.counts, m.values)
		}
	}
}

func TestASweepThatFindsNothingWritesNoMetric(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	m := newMetrics("production", "orchestrator", &out, time.Now)
	m.Count(host.CountMessages, "sweep", 1)
	m.flush()
	if out.Len() > 0 {
		t.Errorf("an idle stack pays for the metrics of %s", out.String())
	}
}
