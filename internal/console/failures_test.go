package console_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/turnstiletest"
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
	b.do("GET", "api/v1/failures?from="+at+"&to="+at, nil).fails(api.CodeInvalid, "must be before")
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

// One changed line is one cause, however many instances it has stopped and whatever their inputs are; another
// line is another.
func TestOneChangedLineIsOneCause(t *testing.T) {
	t.Parallel()
	type tenant struct{ Name, Note string }
	migrate, charge, reserve := turnstile.NewOrchestration[tenant, string]("Migrate"), turnstile.NewActivity[tenant, string]("Charge"), turnstile.NewActivity[tenant, string]("Reserve")
	go1, go2 := turnstile.NewEvent[string]("go"), turnstile.NewEvent[string]("go on")
	app := func(second turnstile.Activity[tenant, string], dearer bool) *turnstile.App {
		done := func(context.Context, tenant) (string, error) { return "ok", nil }
		return turnstile.NewApp(charge.Implement(done), reserve.Implement(done), migrate.Implement(func(ctx turnstile.Context, in tenant) (string, error) {
			if in.Note == "early" && dearer {
				in.Name += " again"
			}
			if _, err := charge.Call(ctx, in); err != nil {
				return "", err
			}
			if _, err := go1.Wait(ctx); err != nil {
				return "", err
			}
			if _, err := second.Call(ctx, in); err != nil {
				return "", err
			}
			return go2.Wait(ctx)
		}))
	}
	env := turnstiletest.New(t, app(charge, false), turnstiletest.AllowStuck())
	const changed = 13
	for n := range changed + 2 {
		in := tenant{Name: fmt.Sprintf("tenant %d", n), Note: strings.Repeat(`"), input `, n)}
		if n >= changed {
			in.Note = "early"
		}
		turnstiletest.Start(env, migrate, in, client.WithInstanceID(fmt.Sprintf("t-%d", n)))
		turnstiletest.Raise(env, go1, fmt.Sprintf("t-%d", n), "")
	}
	env.Run()
	env.Deploy(app(reserve, true))
	for n := range changed + 2 {
		turnstiletest.Raise(env, go2, fmt.Sprintf("t-%d", n), "")
	}
	env.Run()
	h, err := console.Handler(env.Client(), console.WithClock(env.Now))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, h: h}
	causes := get[api.FailureList](b, "failures").Causes
	if len(causes) != 2 || causes[0].Instances != changed || causes[1].Instances != 2 {
		t.Fatalf("the causes are %+v", causes)
	}
	if m := causes[0].Message; !strings.HasPrefix(m, `history has ActivityScheduled("Charge", …), the code at `) || !strings.HasSuffix(m, ` started ActivityScheduled("Reserve", …) (name differs)`) {
		t.Errorf("the cause of those is %s", m)
	}
	if m := causes[1].Message; !strings.HasSuffix(m, ` started ActivityScheduled("Charge", …) (input differs)`) {
		t.Errorf("the cause of the others is %s", m)
	}
	keys := map[string]int{}
	for _, i := range get[api.InstanceList](b, "instances?status=stuck&page_size=100").Instances {
		keys[i.CauseKey]++
	}
	if len(keys) != 2 || keys[causes[0].Key] != changed {
		t.Errorf("the instances have the keys %v", keys)
	}
}
