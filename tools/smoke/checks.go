package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/smokeapp"
	"github.com/turnstile-go/turnstile/internal/timer"
)

// chain runs activities one after the other.
func (s *stack) chain(ctx context.Context, steps int) (string, error) {
	run, err := client.Start(ctx, s.client, smokeapp.Chain, steps, client.WithInstanceID(s.underTheID+"-chain"))
	if err != nil {
		return "", err
	}
	got, err := run.Wait(ctx)
	if err != nil {
		return "", err
	}
	if got != steps {
		return "", fmt.Errorf("instance %s returned %d, want %d", run.Instance, got, steps)
	}
	events, err := s.client.History(ctx, run.Instance, 0)
	if err != nil {
		return "", err
	}
	m, err := measureChain(events)
	if err != nil {
		return "", fmt.Errorf("instance %s: %w", run.Instance, err)
	}
	return m.String(), nil
}

// event queries whether an instance waits for an event, and raises it.
func (s *stack) event(ctx context.Context) (string, error) {
	run, err := client.Start(ctx, s.client, smokeapp.Echo, struct{}{}, client.WithInstanceID(s.underTheID+"-event"))
	if err != nil {
		return "", err
	}
	if _, err := s.find(ctx, run.Instance, history.ExternalSubscribed); err != nil {
		return "", err
	}
	asked := time.Now()
	answer, err := client.Query(ctx, s.client, smokeapp.Waits, run.Instance, turnstile.None{})
	if err != nil {
		return "", err
	}
	answered := time.Since(asked)
	if !answer.Value {
		return "", fmt.Errorf("instance %s has subscribed to %q, and answers that it does not wait", run.Instance, smokeapp.Signal.Name())
	}
	const data = "are you there?"
	raised := time.Now()
	if err := client.Raise(ctx, s.client, smokeapp.Signal, run.Instance, data); err != nil {
		return "", err
	}
	got, err := run.Wait(ctx)
	if err != nil {
		return "", err
	}
	if got != data {
		return "", fmt.Errorf("instance %s returned %q, want %q", run.Instance, got, data)
	}
	recorded, err := s.find(ctx, run.Instance, history.ExternalEvent)
	if err != nil {
		return "", err
	}
	// Two clocks, this machine's and Lambda's.
	return fmt.Sprintf("query answered in %d ms; event recorded %d ms after it was raised", answered.Milliseconds(), recorded.AtMS-raised.UnixMilli()), nil
}

// timer sleeps, and looks whether a schedule is what ends the sleep.
func (s *stack) timer(ctx context.Context, d time.Duration) (string, error) {
	run, err := client.Start(ctx, s.client, smokeapp.Timer, d.String(), client.WithInstanceID(s.underTheID+"-timer"))
	if err != nil {
		return "", err
	}
	created, err := s.find(ctx, run.Instance, history.TimerCreated)
	if err != nil {
		return "", err
	}
	name := timer.Name(run.Instance, 1, created.EventID, created.AtMS)
	if err := s.awaitSchedule(ctx, name); err != nil {
		return "", err
	}
	if _, err := run.Wait(ctx); err != nil {
		return "", err
	}
	fired, err := s.find(ctx, run.Instance, history.TimerFired)
	if err != nil {
		return "", err
	}
	late := fired.AtMS - created.FireAtMS
	if late < 0 {
		return "", fmt.Errorf("instance %s: its timer fired %d ms before it was due", run.Instance, -late)
	}
	return fmt.Sprintf("%s, through Scheduler; fired %d ms after it was due", d, late), nil
}

// find waits for the first event of a kind in the history.
func (s *stack) find(ctx context.Context, instance string, kind history.Kind) (history.Event, error) {
	for {
		events, err := s.client.History(ctx, instance, 0)
		var notFound *client.NotFoundError
		if err != nil && !errors.As(err, &notFound) {
			return history.Event{}, err
		}
		for _, e := range events {
			if e.Kind == kind {
				return e, nil
			}
		}
		if err := pause(ctx); err != nil {
			return history.Event{}, fmt.Errorf("instance %s has no %s: %w", instance, kind, err)
		}
	}
}

// awaitSchedule waits for the schedule that the turn's dispatch makes.
func (s *stack) awaitSchedule(ctx context.Context, name string) error {
	// Its turn is committed already; the dispatch follows within the same
	// invocation.
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		_, err := s.schedules.GetSchedule(ctx, &scheduler.GetScheduleInput{GroupName: &s.group, Name: &name})
		var notFound *types.ResourceNotFoundException
		if err == nil || !errors.As(err, &notFound) {
			return err
		}
		if err := pause(ctx); err != nil {
			return fmt.Errorf("no schedule %s in group %s: the timer does not go through Scheduler (is it shorter than the stack's TimerBorder or TimerLeast?)", name, s.group)
		}
	}
}

func pause(ctx context.Context) error {
	t := time.NewTimer(200 * time.Millisecond)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
