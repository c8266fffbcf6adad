package local

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/sqlite/internal/supervised"
)

// A replay says where the code waits, as far as it has gone: what was recorded without
// running it is not run for that.
func TestAReplaySaysWhereTheCodeWaits(t *testing.T) {
	t.Parallel()
	events := []history.Event{
		{EventID: 1, AtMS: 1, Kind: history.OrchestrationStarted, Name: "Welcome", Payload: []byte(`"Ada"`), Start: &history.Start{ExecutionID: 1}},
		{EventID: 2, AtMS: 1, Kind: history.ActivityScheduled, Name: "Greet", Payload: []byte(`"Hello Ada"`)},
		{EventID: 3, AtMS: 2, Kind: history.ActivityCompleted, SourceEventID: 2, Payload: []byte(`"Hello Ada"`)},
		{EventID: 4, AtMS: 2, Kind: history.ExternalSubscribed, Name: "answered"},
		{EventID: 5, AtMS: 3, Kind: history.ExternalEvent, Name: "answered", Payload: []byte(`"hi"`)},
	}
	ended := append(events[:5:5], history.Event{EventID: 6, AtMS: 3, Kind: history.OrchestrationCompleted, Payload: []byte(`"Hello Ada: hi"`)})
	for _, c := range []struct {
		name   string
		export history.Export
		line   string // of the call, in run_test.go
		event  int64
	}{
		{"it waits for its activity", history.Export{Instance: "ada", ExecutionID: 1, Events: events[:2]}, "greet.Call(", 2},
		{"it waits for its event", history.Export{Instance: "ada", ExecutionID: 1, Events: events[:4]}, "answered.Wait(", 4},
		{"its event was recorded alone", history.Export{Instance: "ada", ExecutionID: 1, Events: events, Turns: []history.ExportTurn{{Last: 2}, {Last: 4}, {Last: 5, Parked: true}}}, "answered.Wait(", 4},
		{"all was recorded alone", history.Export{Instance: "ada", ExecutionID: 1, Events: events[:1], Turns: []history.ExportTurn{{Last: 1, Parked: true}}}, "", 0},
		{"it has ended", history.Export{Instance: "ada", ExecutionID: 1, Events: ended}, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "history.json")
			if err := os.WriteFile(file, history.EncodeExport(c.export), 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if status := replay(application("Hello"), file, &out); status != exitDone {
				t.Fatalf("status %d: %s", status, out.String())
			}
			if c.line == "" {
				if out.Len() > 0 {
					t.Errorf("it says %s", out.String())
				}
				return
			}
			text, is := strings.CutPrefix(out.String(), supervised.Waits)
			var w waits
			if err := json.Unmarshal([]byte(text), &w); !is || err != nil || len(w.Branches) != 1 || w.Instance != "ada" || w.ExecutionID != 1 || w.EventID != c.event && c.event != 2 {
				t.Fatalf("it says %s (%v)", out.String(), err)
			}
			source, err := os.ReadFile("run_test.go")
			if err != nil {
				t.Fatal(err)
			}
			b := w.Branches[0]
			if line := strings.Split(string(source), "\n")[b.Line-1]; filepath.Base(b.File) != "run_test.go" || !strings.Contains(line, c.line) || len(b.Events) != 1 || b.Events[0] != c.event {
				t.Errorf("it waits at %+v, which is %s", b, line)
			}
		})
	}
}
