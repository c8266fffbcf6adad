package console_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
)

func TestMetricsCountWhatStarted(t *testing.T) {
	t.Parallel()
	b := looking(t)
	from := demo.Epoch.Add(-time.Hour).Format(time.RFC3339)
	m := get[api.Metrics](b, "metrics?from="+from)
	counts := get[api.Counts](b, "counts").Counts
	all := 0
	for _, c := range counts {
		all += c.Count
	}
	if m.All.Started != all || m.Read != all || m.More || m.All.Failed != counts["failed"].Count || m.All.Completed != counts["completed"].Count ||
		m.All.Stopped != counts["cancelled"].Count+counts["terminated"].Count || m.All.Open+m.All.Completed+m.All.Failed+m.All.Stopped != all {
		t.Errorf("of %d instances, the metrics count %+v", all, m.All)
	}
	sum := 0
	for _, n := range m.Started {
		sum += n
	}
	if sum != all || len(m.Started) < 2 {
		t.Errorf("the bars have %d of %d: %v", sum, all, m.Started)
	}
	of, last := 0, 1<<30
	for _, o := range m.Orchestrations {
		if o.Started > last || o.Took != nil && (o.Took.P50MS > o.Took.P90MS || o.Took.P90MS > o.Took.P99MS || o.Took.P99MS > o.Took.MaxMS || o.Took.Of > o.Started-o.Open) {
			t.Errorf("%s has %+v, %+v", o.Name, o, o.Took)
		}
		of, last = of+o.Started, o.Started
	}
	if hours := m.To.Sub(m.From).Hours(); of != all || m.All.StartedAnHour*hours < float64(all)-0.01 || m.All.StartedAnHour*hours > float64(all)+0.01 {
		t.Errorf("%d of %d have an orchestration, %v an hour", of, all, m.All.StartedAnHour)
	}
	if d := m.Dollars; d == nil || d.Of < 2 || d.Of > 20 || d.AnHour <= 0 || !d.Hypothetical {
		t.Errorf("an hour costs %+v", d)
	}
}

// The cost of an hour is that of a history times how many start.
func TestTheCostOfAnHourIsEstimatedFromHistories(t *testing.T) {
	t.Parallel()
	b := looking(t)
	bill := get[api.Timeline](b, "instances/"+demo.TenThousand+"/timeline").Bill.Dollars
	m := get[api.Metrics](b, "metrics?name=SettleAccounts&from="+demo.Epoch.Add(-time.Hour).Format(time.RFC3339))
	if want := bill * m.All.StartedAnHour; m.All.Started != 1 || m.Dollars.Of != 1 || m.Dollars.AnHour < want*0.999 || m.Dollars.AnHour > want*1.001 {
		t.Errorf("%+v started, an hour costs %+v, one %v", m.All, m.Dollars, bill)
	}
	took := m.Orchestrations[0].Took
	if took.P50MS != took.MaxMS || took.P99MS != took.MaxMS || took.Of != 1 {
		t.Errorf("of one the percentiles are %+v", took)
	}
}

func TestMetricsOfATimeAlone(t *testing.T) {
	t.Parallel()
	b := looking(t)
	at := demo.Epoch.Add(-time.Hour).Format(time.RFC3339)
	m := get[api.Metrics](b, "metrics?to="+at)
	if m.Read != 0 || m.All.Took != nil || m.Dollars != nil || m.To.Sub(m.From) != time.Hour || len(m.Orchestrations) != 0 {
		t.Errorf("before anything started, the metrics are %+v", m)
	}
	b.do("GET", "api/v1/metrics?from="+at+"&to="+at, nil).fails(api.CodeInvalid, "must be before")
	b.do("GET", "api/v1/metrics?status=failed", nil).fails(api.CodeInvalid)
}
