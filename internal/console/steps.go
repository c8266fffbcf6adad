package console

import (
	"cmp"
	"context"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/store"
)

const (
	// mostStepped is the number of instances whose last execution is read for durations by step.
	// mostStepEvents is the number of events at which reading stops earlier.
	mostStepped    = 200
	mostStepEvents = 100_000
	// readUnit is how many bytes a read unit of DynamoDB reads.
	readUnit = 4 << 10
)

// steps returns how the instances of an orchestration spent their time.
func (h *handler) steps(r *request) (api.StepList, error) {
	q, err := listQuery(r.query)
	if err != nil {
		return api.StepList{}, err
	}
	if q.Name == "" {
		return api.StepList{}, api.Errorf(api.CodeInvalid, "name is missing: give the name of an orchestration")
	}
	out := api.StepList{At: h.now().UTC(), Name: q.Name, Steps: []api.Step{}}
	out.To = cmp.Or(q.To, out.At)
	if out.From, err = startOf(q, out.To); err != nil {
		return out, err
	}
	q.From = out.From
	all, more, err := h.started(r.Context(), q)
	if err != nil {
		return out, err
	}
	out.Started, out.More = len(all), more
	if more && len(all) > 0 {
		out.From = all[len(all)-1].CreatedAt
	}
	var steps timeline.Steps
	units, events := 0, 0
	each := max(1, (len(all)+mostStepped-1)/mostStepped)
	for i := 0; i < len(all) && events < mostStepEvents; i += each {
		d := &all[i]
		turns, err := h.turns.read(r.Context(), d, d.ExecutionID)
		if err != nil {
			if r.Context().Err() != nil {
				return out, err
			}
			continue // Purged in the meantime, encrypted with another key, or damaged: the summary uses the other instances.
		}
		bytes := 0
		for j := range turns {
			events += len(turns[j].Events)
			bytes += sizeOf(&turns[j])
		}
		units += bytes/readUnit + 1
		steps.Add(timeline.New(d.Instance, timeline.FromTurns(d.ExecutionID, turns)))
		out.Histories++
	}
	if !h.place.OneMachine() {
		out.Dollars = float64(units) * bill.ReadUnits.Price() / 1e6
	}
	out.Steps = stepsOf(steps.All())
	return out, nil
}

// sizeOf returns the approximate size of a stored turn, in bytes.
func sizeOf(t *store.Turn) (n int) {
	const event = 150 // its fields, without its payload
	for i := range t.Events {
		n += event + len(t.Events[i].Payload)
	}
	return n
}

func stepsOf(all []timeline.Step) []api.Step {
	out := make([]api.Step, len(all))
	whole := 0.0
	for i := range all {
		whole += all[i].Sum().Seconds()
	}
	for i := range all {
		s := &all[i]
		out[i] = api.Step{Kind: string(s.Kind), Name: s.Name, Failed: s.Failed, Retries: s.Retries, Open: s.Open, Stopped: s.Stopped}
		took := make([]int64, len(s.Took))
		for j, d := range s.Took {
			took[j] = d.Milliseconds()
		}
		out[i].Took = tookOf(took)
		if whole > 0 {
			out[i].Share = s.Sum().Seconds() / whole
		}
	}
	return out
}

// started reads the newest records that a query finds, at most metricsRead, and reports whether
// there are more.
func (h *handler) started(ctx context.Context, q client.ListQuery) (all []client.Description, more bool, err error) {
	q.PageSize = metricsRead
	for n := 1; ; n++ {
		page, err := h.client.List(ctx, q)
		if err != nil {
			return nil, false, err
		}
		all = append(all, page.Instances...)
		if page.NextPageToken == "" {
			return all, false, nil
		}
		q.PageToken, q.PageSize = page.NextPageToken, metricsRead-len(all)
		if q.PageSize <= 0 || n == metricsPages {
			return all, true, nil
		}
	}
}
