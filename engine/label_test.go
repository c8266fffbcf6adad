package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// labelled starts one operation of each kind that can have a label. label gives a context
// its label; "" means none of its own.
func labelled(outer, inner string) engine.Func {
	return func(c *engine.Context, _ []byte) ([]byte, error) {
		under := func(c *engine.Context, label string) *engine.Context {
			if label == "" {
				return c
			}
			return c.WithLabel(label)
		}
		act(c, "Bare")
		b := under(c, outer)
		branch := b.Go(func(c *engine.Context) ([]byte, error) {
			act(c, "InBranch")
			_, err := c.Await(under(c, inner).Timer(time.Hour))
			return nil, err
		})
		act(b, "A")
		b.Timer(time.Second)
		b.TimerAt(1)
		b.ExternalEvent("e")
		b.Child(engine.ChildCall{Name: "C"})
		if _, err := b.Detach(engine.ChildCall{Name: "D"}); err != nil {
			return nil, err
		}
		if err := b.RaiseEvent("other", "e", nil, nil); err != nil {
			return nil, err
		}
		if _, err := b.Now(); err != nil {
			return nil, err
		}
		scope, _ := b.WithTimeout(time.Minute)
		act(scope, "InScope")
		act(b.Shield(), "Shielded")
		act(b.WithHeaders(map[string]string{"a": "b"}), "WithHeaders")
		return c.Await(branch)
	}
}

// labelsOf returns the labels of a history's scheduling events, each with a word for the
// operation.
func labelsOf(events []history.Event) string {
	var all []string
	for i := range events {
		e := &events[i]
		if e.Kind.Scheduling() {
			all = append(all, fmt.Sprintf("%s%s=%s", strings.TrimSuffix(e.Kind.String(), "Scheduled"), e.Name+e.Op, e.Label))
		} else if e.Label != "" {
			all = append(all, fmt.Sprintf("%s has the label %q", e.Kind, e.Label))
		}
	}
	return strings.Join(all, "|")
}

func TestOperationsStartedWithALabelledContextHaveItsLabels(t *testing.T) {
	t.Parallel()
	f := newFixture(t, labelled("stock", "shelf"))
	f.turn(start("0"))
	const want = "ActivityBare=|ActivityA=stock|TimerCreated=stock|TimerCreated=stock|ExternalSubscribede=stock|SubOrchestrationC=stock|OrchestrationChainedD=stock|" +
		"SystemCalleraise_event=stock|SystemCallnow=|TimerCreated=stock|ActivityInScope=stock|ActivityShielded=stock|ActivityWithHeaders=stock|" +
		"ActivityInBranch=stock|TimerCreated=stock / shelf"
	if got := labelsOf(f.events); got != want {
		t.Errorf("the labels are\n%s\nwant\n%s", got, want)
	}
	f.replaysCleanly()
}

// Changing, removing or adding a label is not a change of the code, and recorded events
// keep their label.
func TestReplayDoesNotCompareLabels(t *testing.T) {
	t.Parallel()
	for _, was := range [][2]string{{"stock", "shelf"}, {"", ""}} {
		for _, is := range [][2]string{{"stock", "shelf"}, {"Stock", "place"}, {"", "shelf"}, {"", ""}} {
			f := newFixture(t, labelled(was[0], was[1]))
			f.turn(start("0"))
			before := labelsOf(f.events)
			f.replaceCode(labelled(is[0], is[1]))
			f.replaysCleanly()
			f.turn(fired(16))
			if f.last.Stuck != nil || f.last.State != engine.Ended || labelsOf(f.events) != before {
				t.Errorf("%q to %q: state %v, %v, labels\n%s\nwere\n%s", was, is, f.last.State, f.last.Stuck, labelsOf(f.events), before)
			}
		}
	}
}

// An option that is not used costs nothing in the history.
func TestWithoutALabelTheEncodedHistoryIsUnchanged(t *testing.T) {
	t.Parallel()
	f := newFixture(t, labelled("", ""))
	f.turn(start("0"))
	if text := string(history.Encode(f.events)); strings.Contains(text, "label") {
		t.Errorf("labels stand in %s", text)
	}
	with := newFixture(t, labelled("stock", ""))
	with.turn(start("0"))
	text := string(history.Encode(with.events))
	if got := strings.ReplaceAll(text, `,"label":"stock"`, ""); got != string(history.Encode(f.events)) {
		t.Errorf("a label changes more than itself in\n%s\ncompared with\n%s", text, history.Encode(f.events))
	}
}

// What the code learns about an operation must not depend on its label, because the code
// may record it.
func TestTheCodeNeverLearnsALabel(t *testing.T) {
	t.Parallel()
	told := func(label string) (all []string) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			l := c.WithLabel(label)
			inner, cancel := l.WithCancel()
			for _, x := range []*engine.Future{inner.Timer(time.Hour), act(inner, "A"), inner.ExternalEvent("e"), inner.Child(engine.ChildCall{Name: "C"})} {
				if err := cancel("over"); err != nil {
					return nil, err
				}
				_, err := c.Await(x)
				all = append(all, err.Error())
			}
			all = append(all, fmt.Sprintf("%+v", l.Info()))
			return nil, nil
		})
		f.turn(start("0"))
		return all
	}
	if with, without := told("grace period"), told(""); len(with) != 5 || fmt.Sprint(with) != fmt.Sprint(without) {
		t.Errorf("with a label it learns\n%q\nwithout\n%q", with, without)
	}
}

func TestNestedLabelsThatAreTooLongLoseTheOutermost(t *testing.T) {
	t.Parallel()
	e, z := strings.Repeat("é", 100), strings.Repeat("z", 100)
	for _, c := range []struct {
		labels []string
		want   string
	}{
		{[]string{"a", "b", "c"}, "a / b / c"},
		{[]string{"a", "", "c"}, "a / c"},
		{[]string{""}, ""},
		{[]string{"a", e[:2*93], z}, "a / " + e[:2*93] + " / " + z}, // 200 characters
		{[]string{"a", e[:2*94], z}, e[:2*94] + " / " + z},
		{[]string{"a", e, z}, z}, // with e they are 203
		{[]string{e, z, "c"}, z + " / c"},
	} {
		f := newFixture(t, func(ctx *engine.Context, _ []byte) ([]byte, error) {
			for _, l := range c.labels {
				ctx = ctx.WithLabel(l)
			}
			return ctx.Await(act(ctx, "A"))
		})
		f.turn(start("0"))
		if got := f.events[1].Label; got != c.want {
			t.Errorf("%q give %q, want %q", c.labels, got, c.want)
		}
	}
}

// The error for an operation that the code no longer does has its label, so that it can
// be found.
func TestANondeterminismNamesLabels(t *testing.T) {
	t.Parallel()
	wait := func(label string, d time.Duration) engine.Func {
		return func(c *engine.Context, _ []byte) ([]byte, error) { return c.Await(c.WithLabel(label).Timer(d)) }
	}
	f := newFixture(t, wait("grace period", time.Hour))
	f.turn(start("0"))
	f.replaceCode(wait("last call", time.Minute))
	nd := f.nondeterminism(fired(2))
	if nd.Recorded != `TimerCreated(3600000 ms) labelled "grace period"` || !strings.Contains(nd.Attempted, `TimerCreated(60000 ms) labelled "last call" (duration differs)`) {
		t.Errorf("recorded %s, attempted %s", nd.Recorded, nd.Attempted)
	}
}
