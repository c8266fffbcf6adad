package cause_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/cause"
)

func TestTheLeafIsWhatFailedFirst(t *testing.T) {
	t.Parallel()
	activity := &turnstile.ActivityError{Activity: "Charge", Kind: turnstile.KindApplication, Attempt: 3, Message: "card declined: code 51"}
	late := &turnstile.ActivityError{Activity: `a "quoted" name`, Kind: turnstile.KindTimeout, Attempt: 1, Message: "out of time"}
	child := func(message string) string {
		return (&turnstile.ChildError{Orchestration: "Ship", Instance: `order-1/"4"`, Kind: turnstile.KindLost, Message: message}).Error()
	}
	for message, want := range map[string]string{
		"card declined":                         "card declined",
		activity.Error():                        "card declined: code 51",
		"order 7: " + activity.Error():          "card declined: code 51",
		late.Error():                            "out of time",
		child(activity.Error()):                 "card declined: code 51",
		"campaign: " + child(child("no stock")): "no stock",
		`activity "Charge" failed: `:            `activity "Charge" failed: `,
		`he said: activity "x" was not started`: `he said: activity "x" was not started`,
		"":                                      "",
	} {
		if got := cause.Leaf(message); got != want {
			t.Errorf("the leaf of %q is %q, want %q", message, got, want)
		}
	}
}

func TestTheChainIsHowItWasHandedOn(t *testing.T) {
	t.Parallel()
	activity := &turnstile.ActivityError{Activity: `a "quoted" name`, Kind: turnstile.KindTimeout, Attempt: 3, Message: "out of time"}
	child := &turnstile.ChildError{Orchestration: "Ship", Instance: `order-1/"4"`, Kind: turnstile.KindApplication, Message: "no van: " + activity.Error()}
	want := []cause.HandedOn{
		{Name: `a "quoted" name`, Kind: "timeout", Attempt: 3, Says: "no van"},
		{Name: "Ship", Instance: `order-1/"4"`, Says: "order 1"},
	}
	if got := cause.Chain("order 1: " + child.Error()); !slices.Equal(got, want) {
		t.Errorf("the chain is %+v, want %+v", got, want)
	}
	for _, message := range []string{"", "card declined", `activity "Charge" failed: `, `he said: activity "x" was not started`} {
		if got := cause.Chain(message); got != nil {
			t.Errorf("the chain of %q is %+v", message, got)
		}
	}
}

func TestAPatternLeavesOutWhatDiffers(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"order order-17 is 3 days late":                            "order … is # days late",
		`shipment "ship-88" not found`:                             `shipment "ship-#" not found`,
		"request 6b3f8a52-9c1d-4e7f-8a21-0c5d9e7f1b34 was refused": "request … was refused",
		"key K7f3k29dk is gone":                                    "key … is gone",
		"nil pointer at 0xc0000140a0":                              "nil pointer at …",
		"shop.go:41 of v1.2.3 and utf8 read 200.":                  "shop.go:41 of v1.2.3 and utf8 read #.",
		"naïve café 12":                                            "naïve café #",
		"index out of range [3] with length 2":                     "index out of range [#] with length #",
		strings.Repeat("x", 599) + "é":                             strings.Repeat("x", 599),
	} {
		if got := cause.Pattern(message, "order-17", ""); got != want {
			t.Errorf("the pattern of %q is %q, want %q", message, got, want)
		}
	}
}

func TestFailuresWithTheSameCauseHaveTheSameKey(t *testing.T) {
	t.Parallel()
	key := func(f history.Failure, status, id string) string {
		return cause.OfFailure(&f, "Fulfil").Key(status, id)
	}
	base := history.Failure{Kind: "application", Source: "Charge", Code: "declined", Message: `activity "Charge" failed on attempt 3: order order-1 declined`}
	alike := base
	alike.Message = `sub-orchestration "Pay" (instance "order-2/4") failed: activity "Charge" failed on attempt 5: order order-2 declined`
	if a, b := key(base, "failed", "order-1"), key(alike, "failed", "order-2"); a != b || len(a) != 8 {
		t.Errorf("the keys are %q and %q", a, b)
	}
	for name, change := range map[string]func(*history.Failure){
		"kind":    func(f *history.Failure) { f.Kind = "timeout" },
		"source":  func(f *history.Failure) { f.Source = "Refund" },
		"code":    func(f *history.Failure) { f.Code = "" },
		"message": func(f *history.Failure) { f.Message = "order order-1 refused" },
	} {
		other := base
		change(&other)
		if key(base, "failed", "order-1") == key(other, "failed", "order-1") {
			t.Errorf("another %s has the same key", name)
		}
	}
	if key(base, "failed", "order-1") == key(base, "stuck", "order-1") {
		t.Error("another status has the same key")
	}
}

func TestALineSaysWhoFailedAndWhy(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]history.Failure{
		"Charge: card declined":             {Kind: "application", Source: "Charge", Message: `order 7: activity "Charge" failed: card declined`},
		"Fulfil (timeout): out of time":     {Kind: "timeout", Message: "out of time"},
		"Fulfil (stuck)":                    {Kind: "stuck"},
		"Fulfil: 2 of 3 shipments are lost": {Kind: "application", Message: "2 of 3 shipments are lost"},
	} {
		if got := cause.OfFailure(&f, "Fulfil").Line(); got != want {
			t.Errorf("the line is %q, want %q", got, want)
		}
	}
}
