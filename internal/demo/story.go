package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/aesgcm"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// Instances of the story that tests and pictures refer to by their ids.
const (
	Completed       = "order-1"
	Failed          = "order-declined"
	NotApproved     = "order-refused"
	Cancelled       = "order-cancelled"
	Terminated      = "order-terminated"
	Waiting         = "order-waiting"
	Nondeterminism  = "tenant-acme"
	Panics          = "invoice-7"
	NotRegistered   = "retired-1"
	Corrupt         = "order-corrupt"
	WaitsForChild   = "campaign-spring"
	ManyAttempts    = "catalogue-sync"
	TenThousand     = "settlement-2030-05"
	Continued       = "report-nightly"
	Encoded         = "greeting-sealed"
	HostileMarkup   = "echo-markup"
	HostileText     = "echo-text"
	HostileLarge    = "echo-large"
	HostileInstance = `echo/"><img src=x onerror=alert(1)>?a=%2F#b`
)

// Order returns the n-th order.
func Order(id string, n int) orders.Order {
	customers := []string{"ada", "grace", "edsger", "barbara", "donald", "frances"}
	goods := []orders.Line{{SKU: "kettle", Price: 3900}, {SKU: "teapot", Price: 2450}, {SKU: "cup", Price: 800}, {SKU: "spoon", Price: 250}}
	line := goods[n%len(goods)]
	line.Quantity = n%5 + 1
	return orders.Order{ID: id, Customer: customers[n%len(customers)], Card: "4242 4242 4242 4242", Lines: []orders.Line{line, goods[(n+1)%len(goods)]}}
}

func attributes(o orders.Order) turnstile.SearchAttributes {
	return turnstile.SearchAttributes{"customer": turnstile.SearchString(o.Customer), "total": turnstile.SearchNumber(o.Total())}
}

// story plays the three hours of the story from start on.
func story(env *turnstiletest.Env, start time.Time) {
	ctx := context.Background()
	draw := rand.New(rand.NewPCG(14, 1))

	// A morning of orders, most of which are approved within minutes.
	for n := 1; n <= 180; n++ {
		id := fmt.Sprintf("order-%d", n)
		o := Order(id, n)
		answer := time.Duration(draw.IntN(20)+1) * time.Minute
		env.After(time.Duration(n)*50*time.Second, func() {
			turnstiletest.Start(env, orders.Fulfil, o, client.WithInstanceID(id), client.WithSearchAttributes(attributes(o)))
		})
		if n > 1 && n%17 == 0 {
			continue // No one answers.
		}
		env.After(time.Duration(n)*50*time.Second+answer, func() {
			turnstiletest.Raise(env, orders.Approved, id, orders.Approval{By: "Grace", Approved: n%11 != 0})
		})
	}
	named := func(id string, n int, change func(*orders.Order)) {
		o := Order(id, n)
		change(&o)
		turnstiletest.Start(env, orders.Fulfil, o, client.WithInstanceID(id), client.WithSearchAttributes(attributes(o)))
	}
	env.After(65*time.Minute, func() {
		named(Failed, 3, func(o *orders.Order) { o.Card = "4000 0000 0000 0000" })
		named(NotApproved, 4, func(o *orders.Order) { o.ApproveWithin = "20m"; o.RemindEvery = "5m" })
		named(Cancelled, 5, func(*orders.Order) {})
		named(Terminated, 6, func(*orders.Order) {})
		named(Waiting, 7, func(o *orders.Order) { o.RemindEvery = "20m" })
		named(Corrupt, 8, func(*orders.Order) {})
	})
	env.After(80*time.Minute, func() {
		_ = env.Client().WithActor("ops@example.com").Cancel(ctx, Cancelled, "the customer called")
		_ = env.Client().WithActor("ops@example.com").Terminate(ctx, Terminated, "see incident 12")
	})
	turnstiletest.Start(env, report, 1, client.WithInstanceID(Continued))
	env.After(90*time.Minute, func() {
		turnstiletest.Start(env, settle, 4950, client.WithInstanceID(TenThousand))
		turnstiletest.Start(env, migrate, "acme", client.WithInstanceID(Nondeterminism))
		turnstiletest.Start(env, retired, "x", client.WithInstanceID(NotRegistered))
		turnstiletest.Start(env, echo, hostileMarkup(), client.WithInstanceID(HostileMarkup))
		turnstiletest.Start(env, echo, hostileText(), client.WithInstanceID(HostileText))
		turnstiletest.Start(env, echo, hostileLarge(), client.WithInstanceID(HostileLarge))
		turnstiletest.Start(env, echo, hostileMarkup(), client.WithInstanceID(HostileInstance))
	})
	env.After(2*time.Hour, func() {
		turnstiletest.Start(env, invoice, "initech", client.WithInstanceID(Panics))
	})
	env.After(2*time.Hour+30*time.Minute, func() {
		turnstiletest.Start(env, campaign, "spring sale", client.WithInstanceID(WaitsForChild))
		turnstiletest.Start(env, syncs, "kettles", client.WithInstanceID(ManyAttempts))
	})
	env.Advance(100 * time.Minute)
	env.Deploy(App(0, nil))
	env.After(0, func() {
		turnstiletest.Raise(env, signedOff, Nondeterminism, "Ada")
		turnstiletest.Raise(env, signedOff, NotRegistered, "Ada")
	})
	env.Advance(Span - 100*time.Minute - start.Sub(start.Truncate(time.Second)))
	corrupt(env)
	encode(env)
}

// encode makes an instance encoded with a key that no reader has.
func encode(env *turnstiletest.Env) {
	key, err := aesgcm.New("2030-05", make([]byte, aesgcm.KeySize))
	if err != nil {
		panic(failed(err.Error()))
	}
	set, err := codec.NewSet(key)
	if err != nil {
		panic(failed(err.Error()))
	}
	env.Deploy(App(0, nil), turnstiletest.WithCodecs(set))
	if _, err := turnstiletest.Start(env, Greet, "Ada Lovelace", client.WithInstanceID(Encoded)).Wait(); err != nil {
		panic(failed(err.Error()))
	}
}

// corrupt gives an instance the problem that the host sets if it finds a damaged history.
func corrupt(env *turnstiletest.Env) {
	status := store.StatusCorrupt
	problem := &store.Problem{Kind: "corrupt", EventID: 4, SinceMS: env.Now().UnixMilli(), Tries: 1,
		Message: fmt.Sprintf("store: history of instance %q execution 1 is corrupt at event 4: the turn that begins with event 4 is not there, and a later one is", Corrupt)}
	// The record exists, and the store in memory does not fail.
	_ = env.Store().UpdateRecord(context.Background(), Corrupt, store.RecordChange{Status: &status, Problem: &problem, UpdatedAt: env.Now()})
}

func quoted(s string) json.RawMessage {
	text, _ := json.Marshal(s)
	return text
}

func hostileMarkup() json.RawMessage {
	return json.RawMessage(`{"html":"<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">","link":"javascript:alert(1)","__proto__":{"owned":true},"constructor":"x","template":"${alert(1)} {{1+1}} </textarea></script><style>*{display:none}</style>"}`)
}

func hostileText() json.RawMessage {
	// Bidirectional control characters, other control characters, an escape sequence of
	// terminals, combining characters, an emoji of several code points, lone surrogates.
	return json.RawMessage(`{"bidi":"user` + "\u202e" + `nimda` + "\u202c" + ` approved","isolate":"` + "\u2066" + `evil` + "\u2069" + `","controls":"\u0000\u0007\u001b[31mred\u001b[0m\u2028\u2029","combining":"Z` + strings.Repeat("\u0351\u0317", 40) + `","family":"👩‍👩‍👧‍👦","lone":"\ud800","digits":9007199254740993,"deep":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`)
}

func hostileLarge() json.RawMessage {
	return quoted(strings.Repeat("no break anywhere ", 1)[:2] + strings.Repeat("x", 250_000))
}
