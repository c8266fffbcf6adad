package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// sentTo keeps what is sent to the orchestrator.
type sentTo struct {
	queue.Queue
	bodies []string
}

func (s *sentTo) FIFO() bool { return true }

func (s *sentTo) Send(_ context.Context, msgs ...queue.Outgoing) error {
	for _, m := range msgs {
		s.bodies = append(s.bodies, m.Body)
	}
	return nil
}

// A service with the policy that starts and raises events alone has no store: it
// starts, raises and completes, and is told what it can't see.
func TestAClientWithoutAStoreStartsAndSignals(t *testing.T) {
	t.Parallel()
	q := &sentTo{}
	c, err := client.New(client.Config{Queue: q})
	if err != nil {
		t.Fatal(err)
	}
	started, err := c.Start(t.Context(), client.StartRequest{Name: "Flow", Instance: "a-1"})
	token := wire.ActivityToken{Instance: "a-1", ExecutionID: 1, EventID: 2, Token: "1.o8uixyps.f_4cDmz6dZ5oKTZH7DIxUg"}.String()
	if err := errors.Join(err, c.Raise(t.Context(), client.RaiseRequest{Instance: "a-1", Name: "e"}), c.Complete(t.Context(), token, nil)); err != nil {
		t.Fatal(err)
	}
	if started.Instance != "a-1" || len(q.bodies) != 3 {
		t.Errorf("%+v; sent %q", started, q.bodies)
	}
	for i, kind := range []wire.Kind{wire.StartOrchestration, wire.ExternalRaised, wire.ActivityCompleted} {
		if i < len(q.bodies) && !strings.Contains(q.bodies[i], string(kind)) {
			t.Errorf("message %d is %s, want a %s", i, q.bodies[i], kind)
		}
	}
	for name, look := range map[string]func() error{
		"Describe": func() error { _, err := c.Describe(t.Context(), "a-1"); return err },
		"List":     func() error { _, err := c.List(t.Context(), client.ListQuery{}); return err },
	} {
		if err := look(); !errors.Is(err, client.ErrNoStore) {
			t.Errorf("%s: %v, want ErrNoStore", name, err)
		}
	}
}
