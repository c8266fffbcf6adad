package doctor

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/advice"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/usage"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Check checks one area.
type Check struct {
	Area string
	Look func(ctx context.Context) ([]api.Finding, error)
}

// patience is the time limit of each check.
const patience = 30 * time.Second

// Examine runs all checks concurrently and returns their findings in the order of the checks. A failed
// check is a finding too. If a check returns a [*usage.Error], Examine returns it instead of a report.
func Examine(ctx context.Context, checks []Check) (api.Doctor, error) {
	found := make([][]api.Finding, len(checks))
	wrong := make([]*usage.Error, len(checks))
	var working sync.WaitGroup
	for i, check := range checks {
		working.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			got, err := check.Look(ctx)
			errors.As(err, &wrong[i])
			if err != nil {
				got = append(got, CouldNot(check.Area, err))
			}
			found[i] = got
		})
	}
	working.Wait()
	for _, err := range wrong {
		if err != nil {
			return api.Doctor{}, err
		}
	}
	var report api.Doctor
	for _, f := range slices.Concat(found...) {
		report.Findings = append(report.Findings, f)
		switch f.Level {
		case Problem:
			report.Problems++
		case Warning:
			report.Warnings++
		case Unknown:
			report.Unknown++
		}
	}
	return report, ctx.Err()
}

// CouldNot returns the finding for a failed check: unknown if a permission is missing, otherwise a
// problem.
func CouldNot(area string, err error) api.Finding {
	f := api.Finding{Area: area, Level: Problem, Text: plain.Message(err), Advice: advice.Of(err)}
	if said := advice.Explain(err); said != nil {
		f.Text, f.Advice = said.Message, said.Advice
		if said.Code == api.CodeDenied {
			f.Level, f.Text = Unknown, "not checked: "+said.Message
		}
	}
	return f
}
