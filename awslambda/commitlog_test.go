package awslambda

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/store"
)

func TestACommitIsLoggedAtDebugWithoutPayloads(t *testing.T) {
	t.Parallel()
	commit := host.Committed{
		Turns: []store.Turn{{Instance: "order-17", ExecutionID: 2, Events: []history.Event{
			{EventID: 5, Kind: history.ActivityCompleted, Payload: []byte(`"secret"`)},
			{EventID: 6, Kind: history.TimerCreated},
		}}},
		Actions: []host.Action{{Kind: "timer", EventID: 6}},
	}
	var out bytes.Buffer
	commitLog{logger: newLogger(&out, slog.LevelInfo)}.Committed(commit)
	if out.Len() > 0 {
		t.Errorf("logged at info: %s", out.String())
	}
	commitLog{logger: newLogger(&out, slog.LevelDebug)}.Committed(commit)
	var line struct {
		Instance        string
		ExecutionID     int64 `json:"execution_id"`
		EventID         int64 `json:"event_id"`
		Events, Actions []string
	}
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("not one JSON line: %v\n%s", err, out.String())
	}
	if line.Instance != "order-17" || line.ExecutionID != 2 || line.EventID != 5 ||
		!slices.Equal(line.Events, []string{"ActivityCompleted", "TimerCreated"}) || !slices.Equal(line.Actions, []string{"timer"}) {
		t.Errorf("line is %s", out.String())
	}
	if strings.Contains(out.String(), "secret") {
		t.Errorf("a payload is logged: %s", out.String())
	}
}
