package queue_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// deleting is a queue that can do nothing but delete, and fails for some ids.
type deleting struct {
	queue.Queue
	fails   map[string]error
	deleted []string
}

func (d *deleting) Delete(_ context.Context, m queue.Message) error {
	if err := d.fails[m.ID]; err != nil {
		return err
	}
	d.deleted = append(d.deleted, m.ID)
	return nil
}

func TestQ07SettleDeletesTheRestAlthoughOneDeleteFails(t *testing.T) {
	t.Parallel()
	q := &deleting{fails: map[string]error{"a": queue.ErrReceiptExpired, "c": queue.ErrUnavailable}}
	batch := []queue.Message{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}, {ID: "e"}}
	err := queue.Settle(t.Context(), q, batch, []string{"d"})
	if !errors.Is(err, queue.ErrReceiptExpired) || !errors.Is(err, queue.ErrUnavailable) {
		t.Errorf("Settle: %v, want both errors", err)
	}
	if want := []string{"b", "e"}; !slices.Equal(q.deleted, want) {
		t.Errorf("deleted %q, want %q", q.deleted, want)
	}
}
