package turnstile_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
)

func TestSearchNumbersAreExact(t *testing.T) {
	t.Parallel()
	type cents int32
	for want, got := range map[string]turnstile.SearchValue{
		"9223372036854775807":  turnstile.SearchNumber(math.MaxInt64),
		"-9223372036854775808": turnstile.SearchNumber(int64(math.MinInt64)),
		"4294967295":           turnstile.SearchNumber(uint32(math.MaxUint32)),
		"450":                  turnstile.SearchNumber(cents(450)),
		"0":                    turnstile.SearchNumber(0.0),
		"99.5":                 turnstile.SearchNumber(99.5),
		"1e+30":                turnstile.SearchNumber(1e30),
		"-2":                   turnstile.SearchNumber(float32(-2)),
	} {
		if got.String() != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestASearchAttributeOverItsLimitIsRejectedAtTheCall(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[int, string]("Flow")
	long := turnstile.SearchAttributes{"note": turnstile.SearchString(strings.Repeat("x", 257))}
	e := start(t, flow.Implement(func(ctx turnstile.Context, _ int) (string, error) {
		if err := turnstile.SetSearchAttributes(ctx, turnstile.SearchAttributes{"customer": turnstile.SearchString("c-1")}); err != nil {
			return "", err
		}
		err := turnstile.SetSearchAttributes(ctx, long)
		bad, ok := errors.AsType[*history.SearchAttributeError](err)
		if !ok || bad.Name != "note" {
			return "", err
		}
		return turnstile.SearchAttributesOf(ctx).String() + "; " + bad.Problem, nil
	}))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, flow, 1))
	if got := ok[string](t)(run.Wait(e.ctx)); !strings.HasPrefix(got, `customer = "c-1"; the string has 257 bytes, more than the limit of 256`) {
		t.Errorf("output %q", got)
	}
	if _, err := client.Start(e.ctx, e.client, flow, 1, client.WithSearchAttributes(long)); !errors.As(err, new(*history.SearchAttributeError)) {
		t.Errorf("the start gave %v", err)
	}
}

func TestAnInstanceIsFoundByAttributesOfItsStartAndItsCode(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[float64, int]("Flow")
	due := time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)
	e := start(t, flow.Implement(func(ctx turnstile.Context, total float64) (int, error) {
		return 0, turnstile.SetSearchAttributes(ctx, turnstile.SearchAttributes{
			"total": turnstile.SearchNumber(total), "due": turnstile.SearchTime(due), "draft": {},
		})
	}))
	for instance, total := range map[string]float64{"small": 20, "large": 200.5} {
		run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, total, client.WithInstanceID(instance),
			client.WithSearchAttributes(turnstile.SearchAttributes{"customer": turnstile.SearchString("c-1"), "draft": turnstile.SearchString("yes")})))
		ok[int](t)(run.Wait(e.ctx))
	}
	for text, want := range map[string]string{
		`customer = "c-1" and total > 100`: "large",
		`customer = 'c-1' and total <= 20`: "small",
		`total = 200.5`:                    "large",
		`due < 2026-12-02 and total < 100`: "small",
		`customer ^= "c-" and total > 100`: "large",
		`draft = "yes"`:                    "",
		`due = 2026-12-01`:                 "",
	} {
		where := ok[[]client.SearchCondition](t)(client.ParseWhere(text))
		page := ok[client.ListPage](t)(e.client.List(e.ctx, client.ListQuery{Name: "Flow", Status: client.StatusCompleted, Where: where}))
		var found []string
		for _, d := range page.Instances {
			found = append(found, d.Instance)
		}
		if strings.Join(found, " ") != want {
			t.Errorf("%s: found are %v, want %q", text, found, want)
		}
	}
	d := ok[client.Description](t)(e.client.Describe(e.ctx, "large"))
	data := ok[[]byte](t)(json.Marshal(d.SearchAttributes))
	if string(data) != `{"customer":"c-1","due":{"time":"2026-12-01T09:30:00.000Z"},"total":200.5}` {
		t.Errorf("described as %s", data)
	}
}
