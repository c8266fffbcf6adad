package timeline_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

func labelled(e history.Event, label string) history.Event {
	e.Label = label
	return e
}

// The labels that the code gives to single calls of a fan-out distinguish them, and the label that all of them share belongs to the group.
func TestAFanOutIsDistinguishedByTheLabelsOfItsCalls(t *testing.T) {
	t.Parallel()
	item := func(i int) string { return fmt.Sprint("order ", i) }
	for _, c := range []struct {
		name   string
		label  func(i int) string
		shared string
		by     string
		member string // of the fourth
	}{
		{"none", func(int) string { return "" }, "", "id", "o-3"},
		{"one for all", func(int) string { return "refunds" }, "refunds", "id", "o-3"},
		{"one each", item, "", "", "order 3"},
		{"one each in a branch", func(i int) string { return "refunds / " + item(i) }, "refunds", "", "order 3"},
		{"two in a branch", func(i int) string { return "refunds / " + item(i) + " / money" }, "refunds", "", "order 3 / money"},
		{"some", func(i int) string {
			if i%2 == 0 {
				return ""
			}
			return item(i)
		}, "", "id", "order 3"},
		{"another later", func(i int) string {
			if i > timeline.LeastGroup {
				return "late"
			}
			return "refunds"
		}, "refunds", "id", "o-3"},
		{"words that begin alike", func(i int) string { return fmt.Sprint("order", i) }, "", "", "order3"},
	} {
		s := newScript(1)
		events := []history.Event{started()}
		for i := range 10 {
			events = append(events, labelled(with(act("Refund", nil), fmt.Sprintf(`{"id":"o-%d"}`, i)), c.label(i)))
		}
		s.turn(0, events...)
		tl := s.grouped()
		if len(tl.Groups) != 1 {
			t.Fatalf("%s: %+v", c.name, tl.Groups)
		}
		g, r := &tl.Groups[0], &tl.Rows[3]
		if g.Label != c.shared || g.By != c.by || r.Member != c.member || r.Label != c.label(3) {
			t.Errorf("%s: the group has %q by %q, its row %q of %q; want %q by %q, %q", c.name, g.Label, g.By, r.Member, r.Label, c.shared, c.by, c.member)
		}
		if last := &tl.Rows[9]; c.name == "another later" && last.Member != "late" {
			t.Errorf("one with another label is told by %q", last.Member)
		}
	}
}

func TestWhatIsWaitedForIsNamedByItsLabel(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	s.put("order-1", labelled(timer(900), "grace period"), timer(900), labelled(history.Event{Kind: history.ExternalSubscribed, Name: "approved"}, "stock / second look"))
	w, err := timeline.PendingOperations(context.Background(), s, "order-1", 0, time.Unix(20, 0))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range w.Operations {
		got = append(got, w.Operations[i].Text())
	}
	if fmt.Sprint(got) != "[grace period, timer timer stock / second look, event approved]" {
		t.Errorf("it waits for %q", got)
	}
}
