package console

import (
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
	p, err := h.started(r.Context(), q)
	if err != nil {
		return api.StepList{}, err
	}
	all, out := p.all, api.StepList{At: p.at, From: p.from, To: p.to, Name: q.Name, Started: len(p.all), More: p.more, Steps: []api.Step{}}
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
		out[i] = api.Step{Step: *s}
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
