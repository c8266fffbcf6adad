package console

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

const (
	// metricsRead is the maximum number of records that are read, and metricsPages the maximum
	// number of pages.
	metricsRead, metricsPages = 1000, 5
	// metricsSpan is the default period.
	metricsSpan = time.Hour
	// mostBilled is how many histories are read to estimate the cost of an hour.
	mostBilled = 20
)

func (h *handler) metrics(r *request) (api.Metrics, error) {
	ctx := r.Context()
	q, err := listQuery(r.query)
	if err != nil {
		return api.Metrics{}, err
	}
	p, err := h.started(ctx, q)
	if err != nil {
		return api.Metrics{}, err
	}
	out := api.Metrics{At: p.at, From: p.from, To: p.to, Read: len(p.all), More: p.more}
	layStarts(&out, p.all)
	countMetrics(&out, p.all)
	out.Dollars = h.dollars(ctx, p.all, out.All.StartedAnHour)
	return out, nil
}

// period has instances that started in a period.
type period struct {
	at, from, to time.Time
	all          []client.Description
	// more is set if others started earlier in the period that was asked for; from is then when the first of
	// all started.
	more bool
}

// started reads the newest instances that a query finds. The query may leave out its period.
func (h *handler) started(ctx context.Context, q client.ListQuery) (p period, err error) {
	p.at = h.now().UTC()
	p.to = cmp.Or(q.To, p.at)
	q.From = cmp.Or(q.From, p.to.Add(-metricsSpan))
	if p.from = q.From; !p.from.Before(p.to) {
		return p, api.Errorf(api.CodeInvalid, "from (%s) must be before to (%s)", p.from.Format(time.RFC3339), p.to.Format(time.RFC3339))
	}
	if p.all, p.more, err = h.list(ctx, q, metricsRead, metricsPages); p.more && len(p.all) > 0 {
		p.from = p.all[len(p.all)-1].CreatedAt
	}
	return p, err
}

// layStarts counts the starts in bars.
func layStarts(out *api.Metrics, all []client.Description) {
	laid := api.FailureList{From: out.From, To: out.To}
	out.Started = make([]int, layBars(&laid))
	out.BarsFrom, out.WidthMS = laid.From, laid.WidthMS
	for i := range all {
		at := int(all[i].CreatedAt.Sub(out.BarsFrom) / (time.Duration(out.WidthMS) * time.Millisecond))
		out.Started[max(0, min(len(out.Started)-1, at))]++
	}
}

// countMetrics counts by orchestration and in total.
func countMetrics(out *api.Metrics, all []client.Description) {
	hours := out.To.Sub(out.From).Hours()
	of := map[string][]*client.Description{}
	whole := make([]*client.Description, len(all))
	for i := range all {
		whole[i] = &all[i]
		of[all[i].Name] = append(of[all[i].Name], &all[i])
	}
	out.All = metricsOf("", whole, hours)
	out.Orchestrations = []api.OrchestrationMetrics{}
	for name, some := range of {
		out.Orchestrations = append(out.Orchestrations, metricsOf(name, some, hours))
	}
	slices.SortFunc(out.Orchestrations, func(a, b api.OrchestrationMetrics) int {
		return cmp.Or(b.Started-a.Started, cmp.Compare(a.Name, b.Name))
	})
}

func metricsOf(name string, all []*client.Description, hours float64) api.OrchestrationMetrics {
	out := api.OrchestrationMetrics{Name: name, Started: len(all)}
	if hours > 0 {
		out.StartedAnHour = float64(len(all)) / hours
	}
	var took []int64
	for _, d := range all {
		if d.Redriven > 0 || d.ForkOf != "" {
			out.Redriven++
		} else if d.Status.Terminal() && !d.EndedAt.IsZero() {
			took = append(took, max(0, d.EndedAt.Sub(d.CreatedAt).Milliseconds()))
		}
		switch {
		case d.Status == client.StatusCompleted:
			out.Completed++
		case d.Status == client.StatusFailed:
			out.Failed++
		case d.Status.Terminal():
			out.Stopped++
		default:
			out.Open++
		}
	}
	slices.Sort(took)
	out.Took = tookOf(took)
	return out
}

// tookOf returns the percentiles of sorted durations in ms; nil for none.
func tookOf(took []int64) *api.Took {
	if len(took) == 0 {
		return nil
	}
	return &api.Took{Of: len(took), P50MS: within(took, 50), P90MS: within(took, 90), P99MS: within(took, 99), MaxMS: took[len(took)-1]}
}

// within returns a percentile of sorted durations.
func within(took []int64, percent int) int64 {
	return took[(len(took)*percent+99)/100-1]
}

// dollars estimates the cost of the instances that start in an hour, from the last executions of
// some that have ended. If no history can be read, the cost is not known.
func (h *handler) dollars(ctx context.Context, all []client.Description, anHour float64) *api.DollarsAnHour {
	var ended []*client.Description
	for i := range all {
		if all[i].Status.Terminal() {
			ended = append(ended, &all[i])
		}
	}
	sum, n := 0.0, 0
	step := max(1, (len(ended)+mostBilled-1)/mostBilled)
	for i := 0; i < len(ended); i += step {
		d := ended[i]
		turns, err := h.turns.read(ctx, d, d.ExecutionID)
		if err != nil {
			continue // Purged, encrypted with another key, or damaged: the estimate uses the other instances.
		}
		sources := []timeline.Source{timeline.FromTurns(d.ExecutionID, turns)}
		bill := timeline.Count(timeline.New(d.Instance, sources...), sources)
		sum, n = sum+bill.Dollars, n+1
	}
	if n == 0 {
		return nil
	}
	return &api.DollarsAnHour{AnHour: sum / float64(n) * anHour, Of: n, Hypothetical: h.place.OneMachine()}
}
