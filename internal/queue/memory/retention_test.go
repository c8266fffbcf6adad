package memory_test

import (
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
)

func TestWhatIsOlderThanItsRetentionIsDeletedWhateverItsState(t *testing.T) {
	t.Parallel()
	for _, fifo := range []bool{false, true} {
		clock := newClock()
		var gone []string
		q := open(t, memory.Options{FIFO: fifo, Clock: clock, Visibility: 12 * time.Hour, Retention: 48 * time.Hour,
			Expired: func(m queue.Message) { gone = append(gone, m.Body) }})
		group := func(name string) string {
			if !fifo {
				return ""
			}
			return name
		}
		send(t, q, queue.Outgoing{Body: "flies", Group: group("a")}, queue.Outgoing{Body: "behind it", Group: group("a")})
		got := receive(t, q, "flies", "behind it")
		if err := q.SetVisibility(t.Context(), 0, got[1]); err != nil {
			t.Fatal(err)
		}
		clock.Advance(47 * time.Hour)
		send(t, q, queue.Outgoing{Body: "young", Group: group("a")}, queue.Outgoing{Body: "other", Group: group("b")})
		if n := q.Counts().Total(); n != 4 {
			t.Fatalf("fifo %v: %d messages ahead of the retention, want 4", fifo, n)
		}
		clock.Advance(time.Hour + time.Second)
		receive(t, q, "young", "other")
		if want := []string{"flies", "behind it"}; !slices.Equal(gone, want) {
			t.Errorf("fifo %v: deleted %q, want %q", fifo, gone, want)
		}
		if c := q.Counts(); c != (memory.Counts{InFlight: 2}) {
			t.Errorf("fifo %v: counts %+v", fifo, c)
		}
	}
}

func TestADelayedMessageCanBeOlderThanItsRetention(t *testing.T) {
	t.Parallel()
	clock := newClock()
	q := open(t, memory.Options{Clock: clock, Retention: time.Minute})
	send(t, q, queue.Outgoing{Body: "x", Delay: 15 * time.Minute})
	clock.Advance(2 * time.Minute)
	if c := q.Counts(); c.Total() != 0 {
		t.Errorf("counts %+v, want none", c)
	}
}

func TestADeadLetterKeepsItsAgeOnAStandardQueueAlone(t *testing.T) {
	t.Parallel()
	for _, fifo := range []bool{false, true} {
		clock := newClock()
		dead := open(t, memory.Options{Name: "dead", FIFO: fifo, Clock: clock, Retention: 48 * time.Hour})
		q := open(t, memory.Options{FIFO: fifo, Clock: clock, Visibility: time.Minute, DeadLetter: dead, MaxReceiveCount: 1, Retention: 48 * time.Hour})
		m := queue.Outgoing{Body: "x"}
		if fifo {
			m.Group = "a"
		}
		send(t, q, m)
		clock.Advance(40 * time.Hour)
		receive(t, q, "x")
		clock.Advance(time.Minute)
		if n := dead.Counts().Visible + q.Counts().Total(); n != 1 {
			t.Fatalf("fifo %v: %d messages, want 1", fifo, n)
		}
		clock.Advance(9 * time.Hour)
		if n, want := dead.Counts().Total(), map[bool]int{false: 0, true: 1}[fifo]; n != want {
			t.Errorf("fifo %v: %d dead letters 49 hours behind the send, want %d", fifo, n, want)
		}
	}
}
