package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"

	"github.com/turnstile-go/turnstile/history"
)

func TestAChainIsMeasuredByItsHistory(t *testing.T) {
	t.Parallel()
	events := []history.Event{
		{Kind: history.OrchestrationStarted, EventID: 1, AtMS: 1000},
		{Kind: history.ActivityScheduled, EventID: 2, AtMS: 1000},
		{Kind: history.ActivityCompleted, EventID: 3, SourceEventID: 2, AtMS: 1900},
		{Kind: history.ActivityScheduled, EventID: 4, AtMS: 1900},
		{Kind: history.ActivityCompleted, EventID: 5, SourceEventID: 4, AtMS: 2000},
		{Kind: history.ActivityScheduled, EventID: 6, AtMS: 2000},
		{Kind: history.ActivityCompleted, EventID: 7, SourceEventID: 6, AtMS: 2200},
		{Kind: history.OrchestrationCompleted, EventID: 8, AtMS: 2200},
	}
	m, err := measureChain(events)
	if err != nil {
		t.Fatal(err)
	}
	want := "3 steps in 1.2s; a step takes 200ms (median; the first 900ms, the slowest 900ms)"
	if m.String() != want {
		t.Errorf("measured %q, want %q", m, want)
	}
	if _, err := measureChain(nil); err == nil {
		t.Error("an empty history is measured")
	}
	if _, err := measureChain(events[:2]); err == nil {
		t.Error("a chain without a completed step is measured")
	}
}

func TestTheTimerIsLongEnoughForScheduler(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ border, least, want time.Duration }{
		{15 * time.Minute, 2 * time.Minute, 15*time.Minute + 10*time.Second},
		{0, 2 * time.Minute, 2*time.Minute + 10*time.Second},
	} {
		s := stack{border: tt.border, least: tt.least}
		if got := s.shortestScheduled(); got != tt.want {
			t.Errorf("border %s, least %s: %s, want %s", tt.border, tt.least, got, tt.want)
		}
	}
}

func TestAStackOfAnotherTemplateIsReportedWithAllThatItLacks(t *testing.T) {
	t.Parallel()
	v := values{stack: "other", outputs: map[string]string{"HistoryTable": "h"}}
	if got := v.output("HistoryTable"); got != "h" {
		t.Errorf("output is %q", got)
	}
	v.output("InstancesTable")
	v.duration([]types.Parameter{{ParameterKey: aws.String("TimerBorder"), ParameterValue: aws.String("15m")}}, "TimerBorder")
	v.duration(nil, "TimerLeast")
	err := errors.Join(v.missing...)
	if len(v.missing) != 2 || !strings.Contains(err.Error(), "InstancesTable") || !strings.Contains(err.Error(), "TimerLeast") {
		t.Errorf("missing: %v", err)
	}
}

func TestAFailedCheckFailsTheRunAndTheOthersAreShown(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := runChecks(t.Context(), &out, time.Hour, []check{
		{"chain", 0, func(context.Context) (string, error) { return "40 steps", nil }},
		{"event", 0, func(context.Context) (string, error) { return "", errors.New("nobody there") }},
	})
	if err == nil || err.Error() != "1 of 2 checks failed" {
		t.Errorf("error is %v", err)
	}
	if !strings.Contains(out.String(), "chain  ok      40 steps") || !strings.Contains(out.String(), "event  FAILED  nobody there") {
		t.Errorf("output is\n%s", out.String())
	}
}

func TestWithoutAStackNothingIsAsked(t *testing.T) {
	t.Parallel()
	if err := run(t.Context(), nil, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "-stack NAME") {
		t.Errorf("error is %v", err)
	}
}
