package console

import (
	"math"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/difference"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

// difference compares two executions: of two instances, or of one.
func (h *handler) difference(r *request) (api.Difference, error) {
	var sides [2]api.DifferenceSide
	var of [2]difference.Execution
	for i, name := range []string{"a", "b"} {
		instance, execution := r.query.Get(name), r.query.Get(name+"_execution")
		if instance == "" {
			return api.Difference{}, api.Errorf(api.CodeInvalid, "%s is missing: give the instance to compare", name)
		}
		if execution == "" {
			execution = "current"
		}
		x, err := h.execution(r.Context(), instance, execution)
		if err != nil {
			return api.Difference{}, err
		}
		t := timeline.New(instance, timeline.FromTurns(x.number, x.turns))
		of[i] = difference.Execution{Timeline: t, Events: h.open(x, x.events(1, math.MaxInt))}
		one := &t.Executions[0]
		sides[i] = api.DifferenceSide{Instance: instance, ExecutionID: x.number, Name: one.Name, Version: one.Version, From: one.From, To: one.To, Events: one.Events}
		if !one.To.IsZero() {
			sides[i].End = difference.EndState(&history.Event{Kind: one.End, Forced: one.Forced, Failure: one.Failure})
		}
	}
	return api.DifferenceOf(sides[0], sides[1], difference.Of(of[0], of[1]), r.query.Get("all") == "true"), nil
}
