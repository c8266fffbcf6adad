package console_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
)

func TestFailuresArePutTogetherByTheirCause(t *testing.T) {
	t.Parallel()
	b := looking(t)
	all := get[api.FailureList](b, "failures")
	counts := get[api.Counts](b, "counts").Counts
	members, last := 0, 1<<30
	for _, c := range all.Causes {
		members += c.Instances
		if c.Instances > last || c.Roots > c.Instances || c.First.After(c.Last) || len(c.Members) != 0 || len(c.Newest) != min(5, c.Instances) {
			t.Errorf("a cause is %+v after one of %d", c, last)
		}
		last = c.Instances
		bars := 0
		for _, n := range c.Bars {
			bars += n
		}
		if bars != c.Instances || len(c.Bars) < 2 || len(c.Bars) > 31 || c.First.Before(all.From) {
			t.Errorf("%d instances from %s on, the bars from %s have %v", c.Instances, c.First, all.From, c.Bars)
		}
	}
	if want := counts["failed"].Count + counts["stuck"].Count + counts["corrupt"].Count; members != want || all.Read != want || all.More {
		t.Errorf("%d instances have causes, %d were read of %d", members, all.Read, want)
	}
	declined := causeOf(t, all, demo.Failed)
	if declined.Status != "failed" || declined.Source != "Charge" || declined.Code != "card_declined" || declined.Example != "the card was declined" || declined.Kind != "application" {
		t.Errorf("the cause of %s is %+v", demo.Failed, declined)
	}

	one := get[api.FailureList](b, "failures?cause="+declined.Key)
	if len(one.Causes) != 1 || len(one.Causes[0].Members) != declined.Instances || one.Causes[0].Members[0].Instance != declined.Newest[0] {
		t.Errorf("asked for alone, it is %+v", one.Causes)
	}
	if none := get[api.FailureList](b, "failures?cause=none"); len(none.Causes) != 0 {
		t.Errorf("of no cause are %+v", none.Causes)
	}
}

func TestFailuresAreNarrowedByWhenTheyFailed(t *testing.T) {
	t.Parallel()
	b := looking(t)
	panics := causeOf(t, get[api.FailureList](b, "failures?name=Invoice"), demo.Panics)
	at := panics.Last.Format("2006-01-02T15:04:05.999Z07:00")
	if l := get[api.FailureList](b, "failures?name=Invoice&from="+at); len(l.Causes) != 1 || l.WidthMS < 60_000 || l.From.After(panics.Last) {
		t.Errorf("from %s on, failed are %+v", at, l)
	}
	if l := get[api.FailureList](b, "failures?name=Invoice&to="+at); len(l.Causes) != 0 {
		t.Errorf("before %s, failed are %+v", at, l.Causes)
	}
	b.do("GET", "api/v1/failures?from="+at+"&to="+at, nil).fails(api.CodeInvalid, "is not before")
	b.do("GET", "api/v1/failures?status=failed", nil).fails(api.CodeInvalid)
}

// An instance that handed a failure on says what failed first.
func TestAnInstanceSaysWhatFailedFirst(t *testing.T) {
	t.Parallel()
	i := get[api.Instance](looking(t), "instances/"+demo.Failed)
	if i.Failure == nil || i.Cause != "Charge: the card was declined" || i.Failure.Message == "the card was declined" {
		t.Errorf("its cause is %q, its failure %+v", i.Cause, i.Failure)
	}
	if len(i.HandedOn) != 1 || i.HandedOn[0].Name != "Charge" || i.HandedOn[0].Instance != "" || !strings.Contains(i.HandedOn[0].Says, demo.Failed) {
		t.Errorf("it was handed on by %+v", i.HandedOn)
	}
}

func causeOf(t *testing.T, l api.FailureList, instance string) api.FailureCause {
	t.Helper()
	for _, c := range l.Causes {
		if slices.Contains(c.Newest, instance) {
			return c
		}
	}
	t.Fatalf("no cause has %s: %+v", instance, l.Causes)
	return api.FailureCause{}
}
