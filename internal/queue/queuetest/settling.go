package queuetest

import (
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile/internal/queue"
)

var settling = []scenario{
	{name: "Q-07 the failed ids come back, the rest are deleted", run: func(t *testing.T, h Harness) {
		settle(t, h, func(ids []string) []string { return ids[1:2] }, "b")
	}},
	{name: "Q-07 an empty list deletes all", run: func(t *testing.T, h Harness) {
		settle(t, h, func([]string) []string { return []string{} })
	}},
	{name: "Q-07 an unknown id brings the whole batch back", run: func(t *testing.T, h Harness) {
		settle(t, h, func(ids []string) []string { return []string{ids[0], "never-seen"} }, "a", "b", "c")
	}},
	{name: "Q-07 an empty id brings the whole batch back", run: func(t *testing.T, h Harness) {
		settle(t, h, func([]string) []string { return []string{""} }, "a", "b", "c")
	}},
	{name: "Q-07 an id listed twice counts once", run: func(t *testing.T, h Harness) {
		settle(t, h, func(ids []string) []string { return []string{ids[2], ids[2]} }, "c")
	}},
}

// settle settles a batch of a, b and c with the ids that failed picks, and checks which of them are
// redelivered.
func settle(t *testing.T, h Harness, failed func(ids []string) []string, back ...string) {
	t.Helper()
	q := h.open(t, Spec{FIFO: true})
	q.send(in("a", "a"), in("b", "b"), in("c", "c"))
	var batch []queue.Message
	for len(batch) < 3 {
		batch = append(batch, q.receive(queue.MaxReceive)...)
	}
	slices.SortFunc(batch, func(x, y queue.Message) int { return int(x.Body[0]) - int(y.Body[0]) })
	ids := make([]string, len(batch))
	for i, m := range batch {
		ids[i] = m.ID
	}
	if err := queue.Settle(t.Context(), q, batch, failed(ids)); err != nil {
		t.Fatalf("Settle: %v", err)
	}
	// A deleted message can no longer be redelivered.
	for _, m := range batch {
		if slices.Contains(back, m.Body) {
			q.setVisibility(m, 0)
		}
	}
	got := bodies(q.drain(len(back)))
	slices.Sort(got)
	if !slices.Equal(got, back) {
		t.Errorf("%q was redelivered, want %q", got, back)
	}
}
