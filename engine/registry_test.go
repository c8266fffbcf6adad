package engine

import (
	"maps"
	"testing"
	"time"
)

func TestTheVersionThatKeepsMoreDeterminesRetention(t *testing.T) {
	t.Parallel()
	code := func(*Context, []byte) ([]byte, error) { return nil, nil }
	r, err := NewRegistry(
		Orchestration{Name: "A", Version: "1", Func: code, Retention: 3 * time.Hour, KeepExecutions: 2},
		Orchestration{Name: "A", Version: "2", Func: code, Retention: 2 * time.Hour, KeepExecutions: 5},
		Orchestration{Name: "A", Version: "3", Func: code},
		Orchestration{Name: "B", Func: code},
	)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Retained(); !maps.Equal(got, map[string]time.Duration{"A": 3 * time.Hour, "B": 0}) {
		t.Errorf("they are kept for %v", got)
	}
	if got := r.Executions(); !maps.Equal(got, map[string]int{"A": 5}) {
		t.Errorf("executions kept: %v", got)
	}
}
