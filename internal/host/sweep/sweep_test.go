package sweep

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// stuck adds a stuck instance.
func (s *shelf) stuck(instance string, created time.Time, p store.Problem, stamp int64) {
	s.Helper()
	r := &store.Record{Instance: instance, Name: "Main", ExecutionID: 1, FirstExecution: 1, Status: store.StatusStuck, CreatedAt: created, Problem: &p, Stamp: stamp}
	if err := s.Store.UpdateRecord(s.Context(), instance, store.RecordChange{Create: r}); err != nil {
		s.Fatal(err)
	}
}

// sweeps handles a sweep, and removes its messages from the FIFO queue.
func (s *shelf) sweeps(by *Sweeper, item wire.Item) (sent []wire.Item) {
	s.Helper()
	item.V, item.Kind = wire.Version, wire.Sweep
	m := &inbox.Message{Delivery: platform.Delivery{Message: queue.Message{ID: "m", ReceiveCount: 1}, Source: platform.SourceOrchestrator}, Item: item}
	by.Take(s.Context(), []*inbox.Message{m})
	if m.State != inbox.Settled {
		s.Error("the sweep is not settled")
	}
	return s.taken()
}

// taken removes the messages from the FIFO queue and returns them.
func (s *shelf) taken() (all []wire.Item) {
	s.Helper()
	for {
		batch, err := s.fifo.Receive(s.Context(), 10, 0)
		if err != nil {
			s.Fatal(err)
		}
		if len(batch) == 0 {
			return all
		}
		for _, m := range batch {
			item, err := wire.Parse([]byte(m.Body))
			if err == nil {
				err = s.fifo.Delete(s.Context(), m)
			}
			if err != nil {
				s.Fatal(err)
			}
			all = append(all, item)
		}
	}
}

// A marked instance gets a wake, which names the stamp of the mark, when its time has come, or from
// a different build; it gets no second wake for a day.
func TestWhichProblemsAreWoken(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	soon, due := at.Add(time.Second).UnixMilli(), at.UnixMilli()
	for _, c := range []struct {
		name    string
		problem store.Problem
		stamp   int64
		wakes   bool
	}{
		{"it is due", store.Problem{Kind: "panic", Build: "one", NextMS: due}, 7, true},
		{"it is not due", store.Problem{Kind: "panic", Build: "one", NextMS: soon}, 7, false},
		{"it is not due, but of another build", store.Problem{Kind: "panic", Build: "two", NextMS: soon}, 7, true},
		{"it was woken", store.Problem{Kind: "panic", Build: "one", NextMS: due, WokenMS: at.Add(time.Second - Again).UnixMilli()}, 7, false},
		{"another build has woken it", store.Problem{Kind: "panic", Build: "two", NextMS: due, WokenMS: at.Add(time.Second - Again).UnixMilli()}, 7, false},
		{"it was woken a day ago", store.Problem{Kind: "panic", Build: "one", NextMS: due, WokenMS: at.Add(-Again).UnixMilli()}, 7, true},
		{"it is of a build that knew no stamps", store.Problem{Kind: "panic", Tries: 3}, 0, true},
		{"it is corrupt", store.Problem{Kind: store.ProblemCorrupt, Build: "two", NextMS: due}, 7, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, 0)
			s.stuck("a", at.Add(-time.Hour), c.problem, c.stamp)
			by := s.sweeper(Kept{})
			by.Build = "one"
			sent := s.sweeps(by, wire.Item{ID: "s"})
			if !c.wakes {
				if len(sent) > 0 {
					t.Errorf("it gets %+v", sent)
				}
				return
			}
			if len(sent) != 1 || sent[0].Kind != wire.Wake || sent[0].Instance != "a" || sent[0].Number != c.stamp {
				t.Fatalf("it gets %+v, want one wake that names its stamp", sent)
			}
			if r, err := s.Describe(t.Context(), "a"); err != nil || r.Problem.WokenMS != at.UnixMilli() {
				t.Errorf("noted: %+v, %v", r.Problem, err)
			}
			if sent := s.sweeps(by, wire.Item{ID: "again"}); len(sent) > 0 {
				t.Errorf("it gets %+v again", sent)
			}
		})
	}
}

func TestASweepThatHasSentAThousandWakesIsFollowedByAnother(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 0)
	const many = MaxWakes + MaxWakes/2
	for i := range many {
		s.stuck(fmt.Sprint("a-", i), s.at.Now().Add(-time.Duration(i)*time.Second), store.Problem{Kind: "panic"}, 1)
	}
	by, woken := s.sweeper(Kept{}), map[string]bool{}
	next := []wire.Item{{ID: "s"}}
	for sweeps := 0; len(next) > 0; sweeps++ {
		sent := s.sweeps(by, next[0])
		next = nil
		for _, item := range sent {
			if item.Kind == wire.Sweep {
				next = append(next, item)
				continue
			}
			if woken[item.Instance] {
				t.Errorf("%s is woken twice", item.Instance)
			}
			woken[item.Instance] = true
		}
		if want := []int{MaxWakes, many}; sweeps > 1 || len(woken) != want[sweeps] || len(next) != 1-sweeps {
			t.Fatalf("after sweep %d, %d are woken, and %d sweeps follow", sweeps+1, len(woken), len(next))
		}
	}
}

// refusing is a queue that refuses all messages while refuses is set.
type refusing struct {
	queue.Queue
	refuses bool
}

func (q *refusing) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	if q.refuses {
		return queue.ErrUnavailable
	}
	return q.Queue.Send(ctx, msgs...)
}

// A process of a named build requests one sweep in its lifetime. If a request fails, the next batch
// repeats it; a batch that contains a sweep requests none.
func TestAProcessAsksForTheSweepOfItsBuild(t *testing.T) {
	t.Parallel()
	batch := func(kinds ...wire.Kind) (all []*inbox.Message) {
		for _, kind := range kinds {
			all = append(all, &inbox.Message{Item: wire.Item{Kind: kind, Instance: "a"}})
		}
		return all
	}
	s := newShelf(t, 0)
	q := &refusing{Queue: s.fifo}
	s.Queues.Orchestrator = q
	by := s.sweeper(Kept{})
	if by.AskFirst(t.Context(), batch(wire.ExternalRaised)); len(s.taken()) > 0 {
		t.Error("a process of no build asks for a sweep")
	}
	by.Build, q.refuses = "one", true
	by.AskFirst(t.Context(), batch(wire.ExternalRaised))
	q.refuses = false
	for _, want := range []int{1, 0} {
		by.AskFirst(t.Context(), batch(wire.ExternalRaised))
		if sent := s.taken(); len(sent) != want || want > 0 && sent[0].Kind != wire.Sweep {
			t.Errorf("the batch asks for %+v, want %d", sent, want)
		}
	}
	other := s.sweeper(Kept{})
	other.Build = "two"
	for range 2 {
		other.AskFirst(t.Context(), batch(wire.ExternalRaised, wire.Sweep))
		if sent := s.taken(); len(sent) > 0 {
			t.Errorf("a batch with a sweep asks for %+v", sent)
		}
	}
}
