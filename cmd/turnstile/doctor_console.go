package main

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/doctor"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Checks implements backend.
func (b consoleBackend) Checks(now func() time.Time) []check {
	return []check{
		{"access", func(ctx context.Context) ([]api.Finding, error) {
			if b.err != nil {
				return nil, b.err
			}
			about, err := b.remote().About(ctx)
			if err != nil {
				return nil, err
			}
			return aboutFindings(&about, buildOf(), now()), nil
		}},
		{"queues", func(ctx context.Context) ([]api.Finding, error) {
			if b.err != nil {
				return nil, nil // Said once.
			}
			queues, err := b.remote().Queues(ctx)
			if err != nil {
				return nil, err
			}
			var all []doctor.Queue
			for _, q := range queues {
				all = append(all, doctor.Queue{Name: q.Name, FIFO: q.FIFO, Dead: q.DeadLetters, Visible: q.Visible, InFlight: q.InFlight, Delayed: q.Delayed})
			}
			return doctor.Backlog(all, false), nil
		}},
	}
}

// released reports whether a version is one that was released: what was built from
// a checkout cannot be compared.
func released(version string) bool {
	return version != "(devel)" && version != "v0.0.0" && version != ""
}

// aboutFindings judges what a console says of itself.
func aboutFindings(about *api.About, own api.Build, now time.Time) []api.Finding {
	out := []api.Finding{{Area: "access", Level: doctor.OK, Text: fmt.Sprintf("a console answers: %s %s", about.Place.Kind, about.Place.Settings["file"])}}
	if !about.Actions {
		out = append(out, api.Finding{Area: "access", Level: doctor.Warning, Text: "this console allows no actions", Advice: "Commands that act are refused: start it with actions allowed."})
	}
	version := api.Finding{Area: "versions", Level: doctor.OK, Text: fmt.Sprintf("it is of Turnstile %s, this command of %s", about.Build.Version, own.Version)}
	if about.Build.Version != own.Version && released(own.Version) && released(about.Build.Version) {
		version.Level, version.Advice = doctor.Warning, "What one of them does not know it leaves out: use releases that are the same."
	}
	return append(append(out, version), doctor.Clock(about.Now.Sub(now))...)
}
