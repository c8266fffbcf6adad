package timeline_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/kept"
	"github.com/turnstile-go/turnstile/internal/simulation"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/store"
)

// Random programs with crashes: whatever the host has committed makes a timeline in which each scheduling event is one row, spans are in
// order, nothing continues after the end of its execution, and the open rows are the open operations of the history.
func TestPropertyTimelinesOfRandomPrograms(t *testing.T) {
	t.Parallel()
	instances, rows, cancelled, retried, continued := 0, 0, 0, 0, 0
	for seed := uint64(1); seed <= 60; seed++ {
		all, err := simulation.Histories(seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, left := range all {
			what := fmt.Sprintf("seed %d, %s", seed, left.Record.Instance)
			var sources []timeline.Source
			for i, turns := range left.Executions {
				sources = append(sources, timeline.FromTurns(left.Record.FirstExecution+int64(i), turns))
			}
			tl := timeline.New(left.Record.Instance, sources...)
			check(t, what, tl, sources)
			checkOpen(t, what, tl, left.Executions)
			bill := timeline.Count(tl, sources)
			if bill.Dollars <= 0 || bill.Dollars > 1 {
				t.Errorf("%s: a bill of %v dollars", what, bill.Dollars)
			}
			instances, rows, continued = instances+1, rows+len(tl.Rows), continued+len(sources)-1
			for i := range tl.Rows {
				switch r := &tl.Rows[i]; {
				case r.State == timeline.StateCancelled:
					cancelled++
				case r.Attempt > 1:
					retried++
				}
			}
		}
	}
	if instances < 60 || rows < 300 || cancelled < 20 || retried < 10 || continued < 10 {
		t.Errorf("%d instances, %d rows, %d cancelled, %d with several attempts, %d continued: the test has lost its histories", instances, rows, cancelled, retried, continued)
	}
}

func checkOpen(t *testing.T, what string, tl *timeline.Timeline, executions [][]store.Turn) {
	t.Helper()
	for i, turns := range executions {
		got := map[int64]bool{}
		x := tl.Executions[i]
		for j := x.FirstRow; j < x.FirstRow+x.Rows; j++ {
			if r := &tl.Rows[j]; r.State == timeline.StateOpen && r.Kind != timeline.KindInline {
				got[r.EventID] = true
			}
		}
		if want := openIn(turns); !maps.Equal(got, want) {
			t.Errorf("%s execution %d: open are %v, want %v", what, x.ExecutionID, got, want)
		}
	}
}

// Exported histories of earlier builds and of sample applications. Their turns are not known.
func TestTimelinesOfKeptHistories(t *testing.T) {
	t.Parallel()
	const histories = "../../testdata/histories"
	n := 0
	try := func(what string, x history.Export) {
		n++
		source := timeline.FromEvents(x.Instance, x.ExecutionID, x.Events)
		check(t, what, timeline.New(x.Instance, source), []timeline.Source{source})
	}
	files, err := filepath.Glob(filepath.Join(histories, "*", "*", "*.json"))
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		x, err := history.DecodeExport(data)
		if err != nil {
			continue // It is a list of histories.
		}
		try(filepath.Base(file), x)
	}
	bundles, err := filepath.Glob(filepath.Join(histories, "*", "programs", "*.tar.gz"))
	if err != nil || len(bundles) == 0 {
		t.Fatalf("%d bundles, %v", len(bundles), err)
	}
	for _, file := range bundles {
		runs, err := kept.ReadBundle(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			for _, x := range r.Executions {
				try(strings.Join([]string{r.Name, x.File}, "/"), history.Export{Instance: x.Instance, ExecutionID: x.ExecutionID, Events: x.Events})
			}
		}
	}
	if n < 1000 {
		t.Errorf("%d histories: the test has lost them", n)
	}
}

// A history that is truncated anywhere, or that contains what no valid history can, still makes a timeline, because an operator uses it to
// find out what is wrong.
func TestPropertyDamagedHistoriesMakeTimelines(t *testing.T) {
	t.Parallel()
	all, err := simulation.Histories(3)
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range all {
		for _, turns := range left.Executions {
			for cut := range turns {
				tl := timeline.New(left.Record.Instance, timeline.FromTurns(1, turns[cut:]))
				for i := range tl.Rows {
					checkRow(func(format string, args ...any) { t.Errorf(format, args...) }, &tl.Rows[i])
				}
				head := []timeline.Source{timeline.FromTurns(1, turns[:cut])}
				check(t, "cut", timeline.New(left.Record.Instance, head...), head)
			}
			doubled := slices.Concat(turns, turns)
			timeline.New(left.Record.Instance, timeline.FromTurns(1, doubled))
		}
	}
}
