package dispatch

import (
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// commitOf returns a commit of n activities whose event ids start at first.
func commitOf(execution, first int64, n int, last history.Kind) Commit {
	t := &store.Turn{Instance: "a", ExecutionID: execution}
	for i := range int64(n) {
		t.Events = append(t.Events, history.Event{Kind: history.ActivityScheduled, EventID: first + i, Name: "Work"})
	}
	if last != history.KindUnknown {
		t.Events = append(t.Events, history.Event{Kind: last, EventID: first + int64(n)})
	}
	return Commit{Turn: t, Start: &history.Start{}}
}

func TestProgressCoversAnUnbrokenRowOfCommits(t *testing.T) {
	t.Parallel()
	const none = history.KindUnknown
	composer := newComposer(t)
	for _, test := range []struct {
		name    string
		commits []Commit
		sent    int // number of parcels, from the first
		want    progress
		ok      bool
	}{
		{"nothing sent", []Commit{commitOf(1, 2, 3, none)}, 0, progress{}, false},
		{"in the midst of a commit", []Commit{commitOf(1, 2, 3, none)}, 2, progress{from: position{1, 2, 0}, upTo: position{1, 3, 0}}, true},
		{"one commit after the other", []Commit{commitOf(1, 2, 3, none), commitOf(1, 5, 3, none)}, 4,
			progress{from: position{1, 2, 0}, upTo: position{1, 5, 0}}, true},
		{"up to the first of the second", []Commit{commitOf(1, 2, 3, none), commitOf(1, 5, 3, none)}, 3,
			progress{from: position{1, 2, 0}, upTo: position{1, 4, 0}}, true},
		{"after a gap it starts again", []Commit{commitOf(1, 2, 3, none), commitOf(1, 9, 3, none)}, 4,
			progress{from: position{1, 9, 0}, upTo: position{1, 9, 0}}, true},
		{"a gap, and nothing sent after it", []Commit{commitOf(1, 2, 3, none), commitOf(1, 9, 3, none)}, 3, progress{}, false},
		{"through a continue-as-new", []Commit{commitOf(1, 2, 3, history.OrchestrationContinuedAsNew), commitOf(2, 1, 3, none)}, 4,
			progress{from: position{1, 2, 0}, upTo: position{2, 1, 0}}, true},
		{"another execution, with missing events in between", []Commit{commitOf(1, 2, 3, none), commitOf(2, 1, 3, none)}, 4,
			progress{from: position{2, 1, 0}, upTo: position{2, 1, 0}}, true},
		{"an earlier commit after a later one", []Commit{commitOf(1, 9, 3, none), commitOf(1, 2, 3, none)}, 4,
			progress{from: position{1, 2, 0}, upTo: position{1, 2, 0}}, true},
		{"all sent", []Commit{commitOf(1, 2, 3, none)}, 3, progress{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out := newOutbox(composer)
			for _, s := range test.commits {
				out.Add(s)
			}
			for i := range test.sent {
				out.messages[i].done = true
			}
			got, ok := reached(out.messages)
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

func TestOnlyMessagesThatAreKnownToBeSentAreLeftOut(t *testing.T) {
	t.Parallel()
	composer := newComposer(t)
	out := newOutbox(composer)
	for _, s := range []Commit{commitOf(1, 2, 3, history.OrchestrationContinuedAsNew), commitOf(2, 1, 3, history.KindUnknown)} {
		out.Add(s)
	}
	skip(out.messages, progress{from: position{1, 3, 0}, upTo: position{2, 2, 0}})
	var left []position
	for i := range out.messages {
		if !out.messages[i].done {
			left = append(left, out.messages[i].at)
		}
	}
	if want := []position{{1, 2, 0}, {2, 3, 0}}; !slices.Equal(left, want) {
		t.Errorf("left to send: %v, want %v", left, want)
	}
}
