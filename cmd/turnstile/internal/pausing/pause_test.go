package pausing_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/pausing"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
)

var noon = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// stack has event sources that take a look to change, and a number of attempts that gets
// smaller by one with each look.
type stack struct {
	sources []api.EventSource
	work    int
	stays   bool
	turned  []string
}

func (s *stack) Sources(context.Context) ([]api.EventSource, error) {
	return slices.Clone(s.sources), nil
}

func (s *stack) Source(_ context.Context, id string) (api.EventSource, error) {
	i := slices.IndexFunc(s.sources, func(e api.EventSource) bool { return e.ID == id })
	now := s.sources[i]
	if settled, changing := map[string]string{"Enabling": pausing.On, "Disabling": pausing.Off}[now.State]; changing && !s.stays {
		s.sources[i].State = settled
	}
	return now, nil
}

func (s *stack) Enable(_ context.Context, id string, on bool) error {
	i := slices.IndexFunc(s.sources, func(e api.EventSource) bool { return e.ID == id })
	s.sources[i].State = map[bool]string{true: "Enabling", false: "Disabling"}[on]
	s.turned = append(s.turned, id)
	return nil
}

func (s *stack) Queue(_ context.Context, name string) (api.Queue, error) {
	if name == "gone" {
		return api.Queue{}, errors.New("no such queue")
	}
	q := api.Queue{Name: name}
	if name == deadletter.Activity && s.work > 0 {
		q.InFlight = s.work
		s.work--
	}
	return q, nil
}

func newStack() *stack {
	s := &stack{}
	for _, queue := range []string{deadletter.Activity, "activity:gpu", deadletter.Delay, deadletter.Orchestrator} {
		s.sources = append(s.sources, api.EventSource{ID: queue, Queue: queue, State: pausing.On})
	}
	return s
}

// pauseOf is a pause in whose time only its own waiting counts.
func pauseOf(s *stack) (p *pausing.Pausing, waited *time.Duration, notes *strings.Builder) {
	waited, notes = new(time.Duration), &strings.Builder{}
	return &pausing.Pausing{Stack: s, Sources: slices.Clone(s.sources), Notes: &term.Screen{Writer: notes},
		Now: func() time.Time { return noon.Add(*waited) },
		Sleep: func(ctx context.Context, d time.Duration) bool {
			*waited += d
			return ctx.Err() == nil
		}}, waited, notes
}

func TestActivitiesAreTurnedOffLastWhenNoneRuns(t *testing.T) {
	t.Parallel()
	s := newStack()
	s.work = 3
	p, _, _ := pauseOf(s)
	if err := p.Pause(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	want := []string{deadletter.Orchestrator, deadletter.Delay, deadletter.Activity, "activity:gpu"}
	if !slices.Equal(s.turned, want) || s.work != 0 {
		t.Errorf("turned off are %v with %d attempts left, want %v", s.turned, s.work, want)
	}
	s.turned = nil
	p, _, _ = pauseOf(s)
	if err := p.Unpause(t.Context()); err != nil || !slices.Equal(s.turned, want) {
		t.Errorf("turned on are %v, %v, want %v", s.turned, err, want)
	}
}

func TestAPauseDoesNotWaitLongerThanItsDrain(t *testing.T) {
	t.Parallel()
	s := newStack()
	s.work = 1000
	p, waited, notes := pauseOf(s)
	if err := p.Pause(t.Context(), 10*time.Second); err != nil || *waited > 30*time.Second {
		t.Errorf("it takes %s, %v", *waited, err)
	}
	if !strings.Contains(notes.String(), "not drained after 10s: 0 in turns, ") {
		t.Errorf("it tells\n%s", notes.String())
	}
}

func TestASourceThatDoesNotSettleIsAnError(t *testing.T) {
	t.Parallel()
	s := newStack()
	s.stays = true
	p, waited, _ := pauseOf(s)
	if err := p.Pause(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "has been Disabling for more than 5m0s") || *waited < 5*time.Minute {
		t.Errorf("after %s the error is %v", *waited, err)
	}
	if !slices.Equal(s.turned, []string{deadletter.Orchestrator}) {
		t.Errorf("turned off are %v", s.turned)
	}
}

func TestAStackIsPausedFromWhenTheFirstSourceWas(t *testing.T) {
	t.Parallel()
	for want, states := range map[string][]string{"running": {pausing.On, pausing.On}, "paused": {pausing.Off, pausing.Off}, "partly": {pausing.On, pausing.Off}, "changing": {pausing.On, "Disabling"}} {
		got := pausing.StateOf([]api.EventSource{{State: states[0], ChangedAt: noon.Add(-time.Hour)}, {State: states[1], ChangedAt: noon}}, noon)
		until := time.Time{}
		if want == "paused" {
			until = noon.Add(14*24*time.Hour - time.Hour)
		}
		if got.State != want || !got.KeptUntil.Equal(until) {
			t.Errorf("of %v it is %s, kept until %s; want %s, %s", states, got.State, got.KeptUntil, want, until)
		}
	}
}

func TestASourceIsPrintedThoughItsQueueCannotBeRead(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	pausing.Print(t.Context(), &term.Screen{Writer: &out}, &stack{}, []api.EventSource{{Queue: deadletter.Delay, State: pausing.On}, {Queue: "gone", State: pausing.Off}})
	if want := "delay\tEnabled\t0\t0\t0\ngone\tDisabled\n"; out.String() != want {
		t.Errorf("printed is %q, want %q", out.String(), want)
	}
}
