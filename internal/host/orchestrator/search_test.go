package orchestrator

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/conditions"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

func searched(w *world, text string) (found []string) {
	w.Helper()
	parsed, err := conditions.Parse(text)
	if err != nil {
		w.Fatal(err)
	}
	page, err := w.store.List(w.Context(), store.ListQuery{Where: parsed})
	if err != nil {
		w.Fatal(err)
	}
	for i := range page.Records {
		found = append(found, page.Records[i].Instance)
	}
	return found
}

// A start has attributes, the code sets others, continue-as-new carries them over, and a purge
// removes them. Attributes of a failed commit are not stored.
func TestSearchAttributesFollowTheCommits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	text := history.SearchTextOf
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if err := ctx.SetSearchAttributes(history.SearchAttributes{"round": text(string(in)), "gone": {}}); err != nil {
			return nil, err
		}
		if _, err := ctx.Await(ctx.ExternalEvent("e")); err != nil {
			return nil, err
		}
		if string(in) == "1" {
			if err := ctx.SetSearchAttributes(history.SearchAttributes{"seen": history.SearchNumberOf(1)}); err != nil {
				return nil, err
			}
			return nil, ctx.ContinueAsNew("", []byte("2"), nil)
		}
		return []byte("7"), nil
	})
	lost := true
	w.beforeCommit = func(*store.Commit) error {
		if lost {
			return store.ErrUnavailable
		}
		return nil
	}
	w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "a", ID: "start-a", Name: "Main", Input: []byte("1"),
		SearchAttributes: history.SearchAttributes{"customer": text("c-1"), "gone": text("soon")}})
	w.settleFIFO()
	if r := w.record("a"); r.SearchAttributes != nil || searched(w, `round = "1"`) != nil {
		t.Errorf("a turn that lost its commit set %s", r.SearchAttributes)
	}
	lost = false
	w.run()
	for i, want := range []string{`customer = "c-1", round = "1"`, `customer = "c-1", round = "2", seen = 1`, `customer = "c-1", round = "2", seen = 1`} {
		if got := w.record("a").SearchAttributes.String(); got != want {
			t.Errorf("after %d events %s, want %s", i, got, want)
		}
		if got := searched(w, `customer = "c-1" and `+fmt.Sprintf(`round = "%d"`, min(i+1, 2))); len(got) != 1 {
			t.Errorf("after %d events found are %v", i, got)
		}
		w.restart()
		w.raise("a", "e", "1", fmt.Sprint("e-", i))
		w.run()
	}
	w.expectOutput("a", "7")
	if got := w.counted()["UpdateRecord"]; got != 0 {
		t.Errorf("%d changes of the record beside commits", got)
	}
	w.send(wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "purge"})
	w.run()
	if r := w.record("a"); !r.Purged || searched(w, `customer = "c-1"`) != nil {
		t.Errorf("purged: %+v, found are %v", r, searched(w, `customer = "c-1"`))
	}
}

// Attributes that the record already has are not written again.
func TestSettingAnUnchangedSearchAttributeWritesNoRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		for range 3 {
			if err := ctx.SetSearchAttributes(history.SearchAttributes{"customer": history.SearchTextOf("c-1"), "absent": {}}); err != nil {
				return nil, err
			}
			if _, err := ctx.Await(ctx.ExternalEvent("e")); err != nil {
				return nil, err
			}
		}
		return []byte("7"), nil
	})
	changes := 0
	w.beforeCommit = func(c *store.Commit) error {
		if c.Record != nil {
			changes++
		}
		return nil
	}
	w.start("a", "Main", "1")
	w.run()
	for i := range 2 {
		w.raise("a", "e", "1", fmt.Sprint("e-", i))
		w.run()
	}
	if got := w.record("a").SearchAttributes.String(); got != `customer = "c-1"` || changes != 1 {
		t.Errorf("attributes %s after %d changes of the record, want one: the start", got, changes)
	}
}
