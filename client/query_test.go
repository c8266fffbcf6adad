package client_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/gzip"
	"github.com/turnstile-go/turnstile/internal/clock"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// readStore notes the events from which histories are read, and the number of records.
type readStore struct {
	store.Store
	mu      sync.Mutex
	from    []int64
	records int
}

func (s *readStore) Describe(ctx context.Context, instance string) (store.Record, error) {
	s.mu.Lock()
	s.records++
	s.mu.Unlock()
	return s.Store.Describe(ctx, instance)
}

func (s *readStore) Read(ctx context.Context, instance string, execution, from int64) ([]store.Turn, error) {
	s.mu.Lock()
	s.from = append(s.from, from)
	s.mu.Unlock()
	return s.Store.Read(ctx, instance, execution, from)
}

// tally is an orchestration that collects events, answers "seen" with them, and returns how many there
// were when one says "end". One that says "again" continues as new, one that says "fail" fails.
var (
	tally = turnstile.NewOrchestration[string, int]("Tally")
	add   = turnstile.NewEvent[string]("add")
	seen  = turnstile.NewQuery[string, []string]("seen")
)

func tallied(ctx turnstile.Context, first string) (int, error) {
	all := []string{first}
	seen.Handle(ctx, func(more string) ([]string, error) { all = append(all, more); return all, nil })
	for what, err := range add.All(ctx) {
		switch all = append(all, what); {
		case err != nil:
			return 0, err
		case what == "again":
			return 0, tally.ContinueAsNew(ctx, "continued")
		case what == "fail":
			return 0, errors.New("it failed")
		case what == "end":
			return len(all), nil
		}
	}
	return 0, nil
}

// A process that has asked an instance before reads its record, the last turn that it knows and later
// ones. The answer is the one of a process that reads everything.
func TestAWarmProcessAnswersFromTheNewestState(t *testing.T) {
	t.Parallel()
	codecs := ok[*codec.Set](t)(codec.NewSet(gzip.New()))
	app := turnstile.NewApp(tally.Implement(tallied))
	env := turnstiletest.New(t, app, turnstiletest.WithCodecs(codecs))
	ctx, c := t.Context(), env.Client()
	reads := &readStore{Store: env.Store()}
	process := func(s store.Store) *client.Client {
		return ok[*client.Client](t)(client.New(client.Config{Store: s, Codecs: codecs, App: app, Clock: envClock{env: env},
			Queue: ok[*memoryqueue.Queue](t)(memoryqueue.New(memoryqueue.Options{FIFO: true}))}))
	}
	warm := process(reads)
	known := int64(1) // The event from which it reads next.
	ask := func(what, instance string, read []int64, execution int64, want ...string) {
		t.Helper()
		reads.from, reads.records = nil, 0
		got, err := client.Query(ctx, warm, seen, instance, "more")
		if want := append(want, "more"); err != nil || !slices.Equal(got.Value, want) || got.ExecutionID != execution {
			t.Errorf("%s: %q of execution %d, %v; want %q of %d", what, got.Value, got.ExecutionID, err, want, execution)
		}
		if reads.records != 1 || !slices.Equal(reads.from, read) {
			t.Errorf("%s: %d records read, and the history from %d; want %d", what, reads.records, reads.from, read)
		}
		if cold, err := client.Query(ctx, process(env.Store()), seen, instance, "more"); err != nil || !reflect.DeepEqual(cold, got) {
			t.Errorf("%s: %+v, and a cold process %+v, %v", what, got, cold, err)
		}
		turns := ok[[]store.Turn](t)(env.Store().Read(ctx, instance, execution, 1))
		known = turns[len(turns)-1].First()
	}
	say := func(instance string, events ...string) {
		t.Helper()
		for _, e := range events {
			turnstiletest.Raise(env, add, instance, e)
		}
		env.Run()
	}
	act := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		env.Run()
	}
	id := client.WithInstanceID("i")
	turnstiletest.Start(env, tally, "first", id)
	env.Run()
	ask("cold", "i", []int64{1}, 1, "first")
	ask("warm", "i", []int64{known}, 1, "first")
	say("i", "a", "b")
	ask("after two events", "i", []int64{known}, 1, "first", "a", "b")
	act(c.Suspend(ctx, "i", ""))
	say("i", "c")
	ask("suspended", "i", []int64{known}, 1, "first", "a", "b")
	act(c.Resume(ctx, "i", ""))
	ask("resumed", "i", []int64{known}, 1, "first", "a", "b", "c")
	act(c.Terminate(ctx, "i", ""))
	ask("terminated", "i", []int64{known}, 1, "first", "a", "b", "c")
	ask("after its end", "i", nil, 1, "first", "a", "b", "c")
	_, err := c.Redrive(ctx, client.RedriveRequest{Instance: "i"})
	act(err)
	ask("redriven", "i", []int64{1}, 2, "first", "a", "b", "c")
	say("i", "again")
	ask("continued as new", "i", []int64{1}, 3, "continued")
	_, err = c.Redrive(ctx, client.RedriveRequest{Instance: "i", As: "fork"})
	act(err)
	ask("forked", "fork", []int64{1}, 1, "continued")
	say("i", "end")
	ask("ended", "i", []int64{2}, 3, "continued", "end")
	turnstiletest.Start(env, tally, "restarted", id, client.AllowRestart())
	env.Run()
	ask("restarted", "i", []int64{1}, 4, "restarted")
	say("i", "end")
	ask("ended again", "i", []int64{1}, 4, "restarted", "end")
	act(c.Purge(ctx, "i"))
	var missing *client.NotFoundError
	if _, err := client.Query(ctx, warm, seen, "i", "more"); !errors.As(err, &missing) || missing.FreeAt.IsZero() {
		t.Errorf("purged: %v", err)
	}
	env.Advance(16 * 24 * time.Hour)
	turnstiletest.Start(env, tally, "after the purge", id)
	env.Run()
	ask("started after its purge", "i", []int64{1}, 5, "after the purge")
}

type envClock struct {
	clock.Wall
	env *turnstiletest.Env
}

func (c envClock) Now() time.Time { return c.env.Now() }

// Queries of one client may run at once, of one instance too.
func TestQueriesOfOneInstanceRunAtOnce(t *testing.T) {
	t.Parallel()
	e := start(t, tally.Implement(tallied))
	ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, tally, "first", client.WithInstanceID("i")))
	c := e.client.WithApp(turnstile.NewApp(tally.Implement(tallied)))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				a, err := client.Query(e.ctx, c, seen, "i", "more")
				if refused, is := errors.AsType[*client.QueryError](err); is && refused.Kind == "not_run" || errors.Is(err, client.ErrNotFound) {
					continue
				}
				if n := len(a.Value); err != nil || n < 2 || a.Value[0] != "first" || a.Value[n-1] != "more" || slices.Index(a.Value, "more") != n-1 {
					t.Errorf("%q, %v", a.Value, err)
					return
				}
			}
		})
	}
	for range 30 {
		if err := client.Raise(e.ctx, e.client, add, "i", "x"); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
}
