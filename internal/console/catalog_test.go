package console_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/catalog"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
)

func TestAConsoleKnowsWhatTheCodeOfItsProcessHas(t *testing.T) {
	t.Parallel()
	b, _ := running(t)
	c := get[api.Catalog](b, "catalog")
	if !get[api.About](b, "about").Capabilities.Catalog || len(c.Builds) != 1 || c.Builds[0].Serves != "all" || c.Builds[0].Orchestrations != len(c.Orchestrations) {
		t.Errorf("the builds are %+v, the capabilities %+v", c.Builds, get[api.About](b, "about").Capabilities)
	}
	var found int
	for _, o := range c.Orchestrations {
		if o.Name != "Fulfil" {
			continue
		}
		found++
		if o.Takes.Type != "orders.Order" || o.Returns == nil || !json.Valid([]byte(o.Takes.Example)) {
			t.Errorf("it is %+v", o)
		}
		if checked := post[api.Checked](b, "catalog/check", api.Check{Kind: "orchestration", Name: "Fulfil", Data: o.Takes.Example}); !checked.Known {
			t.Errorf("what the catalog has is not known: %+v", checked)
		} else {
			for _, p := range checked.Problems {
				if p.Wrong {
					t.Errorf("the example is wrong: %s", p.Text)
				}
			}
		}
	}
	if found != 1 || len(c.Activities) < 5 || len(c.Events) == 0 {
		t.Errorf("Fulfil is there %d times, with %d activities and %d events", found, len(c.Activities), len(c.Events))
	}
}

func TestDataIsHeldAgainstTheTypesOfTheCode(t *testing.T) {
	t.Parallel()
	b, _ := running(t)
	for _, c := range []struct {
		kind, name, data string
		known            bool
		problem          string
	}{
		{"orchestration", "Campaign", `"spring"`, true, ""},
		{"orchestration", "Campaign", `7`, true, "it is a number, but the code expects a string (string)"},
		{"orchestration", "Fulfil", `{"customer":7}`, true, "customer is a number, but the code expects a string (string)"},
		{"orchestration", "Echo", `[{"a":1}]`, true, ""},
		{"orchestration", "Nothing", `7`, false, ""},
		{"event", "signed off", `true`, true, "it is true or false, but the code expects a string (string)"},
		{"activity", "Book", `"x"`, true, "it is a string, but the code expects a whole number (int)"},
		{"activity", "Book", `{`, true, "it is not JSON: unexpected EOF"},
	} {
		got := post[api.Checked](b, "catalog/check", api.Check{Kind: c.kind, Name: c.name, Data: c.data})
		first := ""
		if len(got.Problems) > 0 {
			first = got.Problems[0].Text
		}
		if got.Known != c.known || first != c.problem {
			t.Errorf("%s %s %s: %+v", c.kind, c.name, c.data, got)
		}
	}
	b.do("POST", "api/v1/catalog/check", api.Check{Kind: "timer", Name: "x"}).fails(api.CodeInvalid, "timer", "orchestration")
}

func TestAConsoleWithoutAnApplicationOffersNoCatalog(t *testing.T) {
	t.Parallel()
	b := withSecret(t)
	if get[api.About](b, "about").Capabilities.Catalog {
		t.Error("it says that it has one")
	}
	b.do("GET", "api/v1/catalog", nil).fails(api.CodeNotOffered, "no application")
	b.do("POST", "api/v1/catalog/check", api.Check{Kind: "event", Name: "x"}).fails(api.CodeNotOffered)
}

// oneKey makes tokens of one kind, which no orchestrator takes.
type oneKey struct{ token string }

func (k oneKey) CompletionToken(context.Context, string, int64, int64) (string, error) {
	return k.token, nil
}

func TestAnActivityIsIdentifiedByItsTokenOrItsEvent(t *testing.T) {
	t.Parallel()
	b, _ := running(t)
	at := func(p api.PendingActivity) answer {
		return b.do("POST", "api/v1/activities/complete", api.CompleteActivity{PendingActivity: p, Result: json.RawMessage(`"x"`)})
	}
	at(api.PendingActivity{Instance: "a", ExecutionID: 1, EventID: 2}).fails(api.CodeNotOffered, "give its token")
	at(api.PendingActivity{Instance: "a", ExecutionID: 1}).fails(api.CodeInvalid, "event_id")
	at(api.PendingActivity{Instance: "a", ExecutionID: 1, EventID: 2, Token: "t"}).fails(api.CodeInvalid, "one or the other")

	token := ""
	b, c := running(t, console.WithTokens(oneKey{"nonsense"}))
	at(api.PendingActivity{Instance: "a", ExecutionID: 1, EventID: 2}).fails(api.CodeBadToken)
	if _, err := client.Start(t.Context(), c, demo.Sign, "by hand", client.WithInstanceID("by hand")); err != nil {
		t.Fatal(err)
	}
	select {
	case token = <-b.tokens:
	case <-time.After(5 * time.Minute):
		t.Fatal("no token was handed out")
	}
	if strings.Contains(at(api.PendingActivity{Instance: "a", ExecutionID: 1, EventID: 2}).Body.String(), token) {
		t.Error("the error has a token")
	}
}

// strange is what a later build, or a stranger who may write the table, has noted.
type strange struct{ text string }

func (s strange) Catalog(context.Context) ([]console.Build, error) {
	b := console.Build{ID: "later", Serves: "cakes", Since: demo.Epoch}
	return []console.Build{b, {ID: "odd", Serves: "orchestrations", Entries: entries(s.text)}}, nil
}

func entries(text string) (out []catalog.Entry) {
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		panic(err)
	}
	return out
}

func TestACatalogThatAnotherBuildWroteBreaksNothing(t *testing.T) {
	t.Parallel()
	b := looking(t, console.WithCatalog(strange{`[{"kind":"orchestration","name":"A"},{"kind":"activity","name":"B","takes":{}},{"kind":"cake","name":"C","takes":null},
		{"kind":"event","name":"E","takes":{"$ref":"#/$defs/x","$defs":{"x":{"$ref":"#/$defs/x"},"y":null}}},
		{"kind":"event","name":"F","takes":{"type":"array","items":{"$ref":"nowhere"},"future":7}}]`}))
	c := get[api.Catalog](b, "catalog")
	if len(c.Builds) != 2 || len(c.Orchestrations) != 1 || len(c.Activities) != 1 || len(c.Events) != 3 {
		t.Errorf("it is %+v", c)
	}
	for _, in := range []api.Check{{Kind: "orchestration", Name: "A", Data: "1"}, {Kind: "activity", Name: "B", Data: "1"}, {Kind: "event", Name: "E", Data: "1"}, {Kind: "event", Name: "F", Data: "[1]"}} {
		for _, p := range post[api.Checked](b, "catalog/check", in).Problems {
			t.Errorf("%s %s: %s", in.Kind, in.Name, p.Text)
		}
	}
}

func TestADryRunOfAnEventIsHeldAgainstTheCatalogToo(t *testing.T) {
	t.Parallel()
	b := looking(t, console.AllowActions(), console.WithCatalog(strange{`[{"kind":"event","name":"custom","takes":{"title":"bool","type":"boolean"}}]`}))
	path := "instances/" + segment(demo.Waiting) + "/raise"
	sent := post[api.Sent](b, path, api.Raise{Name: "custom", Data: json.RawMessage("7"), DryRun: true})
	if !sent.Wrong || len(sent.Notes) != 2 || sent.Notes[1] != `data of event "custom": it is a number, but the code expects true or false (bool)` {
		t.Errorf("the notes are %q", sent.Notes)
	}
	if sent = post[api.Sent](b, path, api.Raise{Name: "custom", Data: json.RawMessage("true"), DryRun: true}); sent.Wrong || len(sent.Notes) != 1 {
		t.Errorf("wrong %t, the notes are %q", sent.Wrong, sent.Notes)
	}
	if sent = post[api.Sent](b, path, api.Raise{Name: "costum", DryRun: true}); !sent.Wrong || len(sent.Notes) != 2 || sent.Notes[1] != `no build declares event "costum"; did you mean "custom"?` {
		t.Errorf("of a name that no build has: wrong %t, the notes are %q", sent.Wrong, sent.Notes)
	}
}
