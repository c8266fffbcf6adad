package recording_test

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/recording"
	"github.com/turnstile-go/turnstile/internal/simulation"
)

func TestARunOfSeveralHistoriesIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	want := &recording.Recording{Kind: recording.KindRun, Title: "run 17, with a crash behind call 8 <of> 40", Text: "it came to something else\n  - a\n  + b", Histories: []history.Export{
		{Instance: "order-1 ü", ExecutionID: 1, Events: []history.Event{{Kind: history.OrchestrationStarted, EventID: 1, AtMS: 5, Name: "Main", Payload: []byte(`{"a":"</script>"}`), Start: &history.Start{ExecutionID: 1, StartID: "s"}}}},
		{Instance: "order-1 ü", ExecutionID: 2, Events: []history.Event{{Kind: history.OrchestrationStarted, EventID: 1, AtMS: 7, Name: "Main", Start: &history.Start{ExecutionID: 2}}}},
	}}
	text, err := recording.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := recording.Decode(text)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("it is read as %+v, %v\nwant %+v", got, err, want)
	}
}

func TestAnExportIsARecordingOfOne(t *testing.T) {
	t.Parallel()
	const file = "../../testdata/histories/v0/orders/TestACancelledOrderIsUndone-order-1.json"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := recording.Decode(append([]byte("\ufeff \n"), data...))
	if err != nil || r.Kind != recording.KindHistory || len(r.Histories) != 1 || len(r.Histories[0].Events) < 10 || r.Histories[0].Instance == "" {
		t.Fatalf("%+v, %v", r, err)
	}
	// A plain history document does not name its instance.
	r, err = recording.Decode(history.Encode(r.Histories[0].Events))
	if err != nil || r.Histories[0].Instance != "(Fulfil)" || r.Histories[0].ExecutionID != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// The events of a story match those of the run: kinds, order, sources and times.
func TestStoriesOfTheSimulationAreRead(t *testing.T) {
	t.Parallel()
	events, instances := 0, 0
	for seed := uint64(1); seed <= 25; seed++ {
		result := simulation.Run(seed, true)
		r, err := recording.Decode([]byte(result.Story))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		all, err := simulation.Histories(seed)
		if err != nil {
			t.Fatal(err)
		}
		told := map[string]map[int64][]history.Event{}
		for _, x := range r.Histories {
			if told[x.Instance] == nil {
				told[x.Instance] = map[int64][]history.Event{}
			}
			told[x.Instance][x.ExecutionID] = x.Events
		}
		for _, left := range all {
			instances++
			for i, turns := range left.Executions {
				got := told[left.Record.Instance][left.Record.FirstExecution+int64(i)]
				n := 0
				for _, turn := range turns {
					for _, e := range turn.Events {
						if n >= len(got) {
							t.Fatalf("seed %d, %s: the story has %d events", seed, left.Record.Instance, len(got))
						}
						g := got[n]
						if g.Kind != e.Kind || g.EventID != e.EventID || g.SourceEventID != e.SourceEventID || g.Name != e.Name || g.Instance != e.Instance ||
							(g.FireAtMS == 0) != (e.FireAtMS == 0) || g.FireAtMS-g.AtMS != e.FireAtMS-e.AtMS && e.FireAtMS != 0 ||
							(g.Failure == nil) != (e.Failure == nil) {
							t.Errorf("seed %d, %s: the story tells %+v of %+v", seed, left.Record.Instance, g, e)
						}
						n++
						events++
					}
				}
			}
		}
	}
	if events < 500 || instances < 25 {
		t.Errorf("%d events of %d instances: the test has lost its stories", events, instances)
	}
}

func TestTheKeptStoryIsRead(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../simulation/testdata/story.txt")
	if err != nil {
		t.Fatal(err)
	}
	r, err := recording.Decode(data)
	if err != nil || r.Kind != recording.KindStory || r.Title == "" || len(r.Histories) == 0 || !strings.Contains(r.Text, "WHAT HAPPENED") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestWhatIsNoRecordingIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "not an exported history"},
		{"another text", "hello\nworld", "not an exported history"},
		{"another document", `{"a":1}`, "not an exported history"},
		{"half a document", `{"v":1,"events":[`, "not a JSON document"},
		{"no events", `{"v":1,"events":[]}`, "no events"},
		{"an event of a newer build", `{"v":1,"events":[{"event_id":1,"kind":"Forked","at_ms":1}]}`, "Forked"},
		{"a newer document", `{"v":2,"exports":[]}`, "version 2"},
		{"an export in it that is none", `{"v":1,"exports":[{"a":1}]}`, "export 1"},
		{"a story without histories", "RUN: x\n\nHISTORIES\nroot0 is completed\n", "no histories"},
		{"a story with a line that is none", "RUN: x\nHISTORIES\nroot0 is completed\n  execution 1\n    hello\n", "is not an event"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := recording.Decode([]byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v, %v; want an error with %q", r, err, c.want)
			}
		})
	}
	if _, err := recording.Decode([]byte(`{"v":2,"exports":[]}`)); !errors.Is(err, history.ErrNewer) {
		t.Errorf("a newer document gave %v", err)
	}
}
