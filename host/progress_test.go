package host

import (
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// commitOf is one of n activities, its events from first on.
func commitOf(execution, first int64, n int, last history.Kind) sending {
	t := &store.Turn{Instance: "a", ExecutionID: execution}
	for i := range int64(n) {
		t.Events = append(t.Events, history.Event{Kind: history.ActivityScheduled, EventID: first + i, Name: "Work"})
	}
	if last != history.KindUnknown {
		t.Events = append(t.Events, history.Event{Kind: last, EventID: first + int64(n)})
	}
	return sending{Turn: t, start: &history.Start{}, attached: func() []*history.Parent { return nil }}
}

func TestProgressIsOfAnUnbrokenRowOfCommits(t *testing.T) {
	t.Parallel()
	const none = history.KindUnknown
	w := newWorld(t, nil)
	for _, test := range []struct {
		name    string
		commits []sending
		sent    int // parcels, from the first on
		want    progress
		ok      bool
	}{
		{"nothing sent", []sending{commitOf(1, 2, 3, none)}, 0, progress{}, false},
		{"in the midst of a commit", []sending{commitOf(1, 2, 3, none)}, 2, progress{from: position{1, 2, 0}, upTo: position{1, 3, 0}}, true},
		{"one commit behind the other", []sending{commitOf(1, 2, 3, none), commitOf(1, 5, 3, none)}, 4,
			progress{from: position{1, 2, 0}, upTo: position{1, 5, 0}}, true},
		{"up to the first of the second", []sending{commitOf(1, 2, 3, none), commitOf(1, 5, 3, none)}, 3,
			progress{from: position{1, 2, 0}, upTo: position{1, 4, 0}}, true},
		{"behind a gap it begins anew", []sending{commitOf(1, 2, 3, none), commitOf(1, 9, 3, none)}, 4,
			progress{from: position{1, 9, 0}, upTo: position{1, 9, 0}}, true},
		{"a gap, and nothing sent behind it", []sending{commitOf(1, 2, 3, none), commitOf(1, 9, 3, none)}, 3, progress{}, false},
		{"through a continue-as-new", []sending{commitOf(1, 2, 3, history.OrchestrationContinuedAsNew), commitOf(2, 1, 3, none)}, 4,
			progress{from: position{1, 2, 0}, upTo: position{2, 1, 0}}, true},
		{"another execution, of which what is between is not there", []sending{commitOf(1, 2, 3, none), commitOf(2, 1, 3, none)}, 4,
			progress{from: position{2, 1, 0}, upTo: position{2, 1, 0}}, true},
		{"an earlier commit behind a later one", []sending{commitOf(1, 9, 3, none), commitOf(1, 2, 3, none)}, 4,
			progress{from: position{1, 2, 0}, upTo: position{1, 2, 0}}, true},
		{"all sent", []sending{commitOf(1, 2, 3, none)}, 3, progress{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out := w.process().o.newOutbox()
			for _, s := range test.commits {
				out.add(s)
			}
			for i := range test.sent {
				out.parcels[i].done = true
			}
			got, ok := out.reached()
			if got != test.want || ok != test.ok {
				t.Fatalf("reached %+v, %t; want %+v, %t", got, ok, test.want, test.ok)
			}
			if !ok {
				return
			}
			got.message = "0123456789ab"
			read, ok := parseProgress(got.text())
			if !ok || read != got {
				t.Errorf("%q reads as %+v, %t", got.text(), read, ok)
			}
		})
	}
}

func TestNothingButWhatIsKnownToBeSentIsLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	out := w.process().o.newOutbox()
	for _, s := range []sending{commitOf(1, 2, 3, history.OrchestrationContinuedAsNew), commitOf(2, 1, 3, history.KindUnknown)} {
		out.add(s)
	}
	if err := out.later(&wire.Item{V: wire.Version, Kind: wire.Wake, Instance: "a", ID: "wake"}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	out.skip(progress{from: position{1, 3, 0}, upTo: position{2, 2, 0}})
	var left []position
	for i := range out.parcels {
		if !out.parcels[i].done {
			left = append(left, out.parcels[i].at)
		}
	}
	if want := []position{{1, 2, 0}, {2, 3, 0}, {2, 3, 1}}; !slices.Equal(left, want) {
		t.Errorf("left to send: %v, want %v", left, want)
	}
}

// A progress is that of the message which comes back because of the rest. An
// operator wakes an instance because something of it may be lost, whatever has
// been sent once.
func TestAnOperatorsWakeSendsAgainWhatIsKnownToBeSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		a, b := ctx.Timer(time.Minute), ctx.Activity(engine.ActivityCall{Name: "Work", Input: in})
		_, err := ctx.Join(a, b)
		return in, err
	})
	body, err := (&wire.Item{V: wire.Version, Kind: wire.StartOrchestration, Instance: "a", Name: "Main", Input: []byte("1"), ID: "start"}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	deliver := func(id, body string, receives int) []string {
		return w.process().o.Handle(t.Context(), []Delivery{{queue.Message{ID: id, Body: body, ReceiveCount: receives}, SourceOrchestrator}})
	}
	// The timer is sent, the activity is not.
	w.beforeSend = func(name string, _ []queue.Outgoing) error {
		if name == "activity" {
			return queue.ErrUnavailable
		}
		return nil
	}
	if failed := deliver("m-1", string(body), 1); len(failed) != 1 || w.record("a").Dispatched == "" {
		t.Fatalf("failed %v, dispatched %q; want the start handed back, and how far it came", failed, w.record("a").Dispatched)
	}
	w.beforeSend = nil
	if failed := deliver("m-1", string(body), 2); len(failed) != 0 {
		t.Fatalf("failed %v", failed)
	}
	if timers, activities := w.delay.Counts().Total(), w.activity.Counts().Total(); timers != 1 || activities != 1 {
		t.Errorf("%d timers and %d activities were sent, want each once: the message goes on where it stopped", timers, activities)
	}
	wake, err := (&wire.Item{V: wire.Version, Kind: wire.Wake, Instance: "a", ID: "wake"}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for receives := 1; receives <= 2; receives++ {
		if failed := deliver("m-2", string(wake), receives); len(failed) != 0 {
			t.Fatalf("failed %v", failed)
		}
	}
	if n := w.delay.Counts().Total(); n != 3 {
		t.Errorf("%d timers were sent in all, want each of the wake's two deliveries to send it again", n)
	}
}
