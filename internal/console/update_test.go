package console_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

func TestAnUpdateIsSentAndItsAnswerIsRead(t *testing.T) {
	t.Parallel()
	b, c := running(t)
	if _, err := client.Start(t.Context(), c, orders.Fulfil, orders.Order{ID: "7", Card: "1111"}, client.WithInstanceID("order/7")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WaitState(t.Context(), "order/7", orders.Status.Name(), client.StateNumber{}); err != nil {
		t.Fatal(err)
	}
	catalog := get[api.Catalog](b, "catalog")
	if i := slices.IndexFunc(catalog.Updates, func(e api.CatalogEntry) bool { return e.Name == orders.ChangeAddress.Name() }); i < 0 || catalog.Updates[i].Takes.Example == "" || catalog.Builds[0].Updates != len(catalog.Updates) {
		t.Errorf("the catalog has the updates %+v", catalog.Updates)
	}
	if checked := post[api.Checked](b, "catalog/check", api.Check{Kind: "update", Name: orders.ChangeAddress.Name(), Data: `{"street":7}`}); !checked.Known || len(checked.Problems) == 0 || !checked.Problems[0].Wrong {
		t.Errorf("the check is %+v", checked)
	}
	at := path("order/7")
	send := func(id, input string, wait int) client.UpdateStatus {
		t.Helper()
		return post[client.UpdateStatus](b, at+"/update", api.Update{WaitSeconds: wait,
			UpdateRequest: client.UpdateRequest{Name: orders.ChangeAddress.Name(), Input: []byte(input), DeduplicationID: id}})
	}
	s := send("a/1", `{"street":"Storgata 1","country":"NO"}`, 25)
	if s.Stage != client.UpdateCompleted || string(s.Output) != `{"days":5}` || s.Instance != "order/7" || s.ID != "a/1" {
		t.Errorf("the answer is %+v", s)
	}
	if again := send("a/1", `{"street":"Storgata 1","country":"NO"}`, 25); again.EventID != s.EventID {
		t.Errorf("a repeat has the answer %+v", again)
	}
	if read := get[client.UpdateStatus](b, at+"/updates/a%2F1?wait_seconds=1"); read.EventID != s.EventID || string(read.Output) != `{"days":5}` {
		t.Errorf("the status is %+v", read)
	}
	if s := send("", `{"street":"Main St 1","country":"US"}`, 25); s.Stage != client.UpdateRejected || !strings.Contains(s.Reason, `does not deliver to "US"`) || s.ID == "" {
		t.Errorf("a rejection is %+v", s)
	}
	if s := send("late", `{}`, 0); s.Stage != client.UpdateSent {
		t.Errorf("without a wait the status is %+v", s)
	}
	b.do(http.MethodPost, "api/v1/"+at+"/update", api.Update{UpdateRequest: client.UpdateRequest{Name: "x"}, WaitSeconds: 26}).fails(api.CodeInvalid, "wait_seconds is 26")
	b.do(http.MethodPost, "api/v1/"+at+"/update", api.Update{}).fails(api.CodeInvalid, "update name")
	b.do(http.MethodGet, "api/v1/"+at+"/updates/a?wait_seconds=26", nil).fails(api.CodeInvalid, "wait_seconds")
	b.do(http.MethodPost, "api/v1/"+path("nothing")+"/update", api.Update{UpdateRequest: client.UpdateRequest{Name: "x"}}).fails(api.CodeNotFound, "nothing")
	b.do(http.MethodGet, "api/v1/"+path("nothing")+"/updates/a", nil).fails(api.CodeNotFound, "nothing")
}

// An update without a handler waits for code, so the request returns before the answer.
func TestARequestDoesNotWaitForAnUpdateLongerThanItAsked(t *testing.T) {
	t.Parallel()
	b, c := running(t)
	if _, err := client.Start(t.Context(), c, orders.Fulfil, orders.Order{ID: "7", Card: "1111"}, client.WithInstanceID("o")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WaitState(t.Context(), "o", orders.Status.Name(), client.StateNumber{}); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	s := post[client.UpdateStatus](b, path("o")+"/update", api.Update{UpdateRequest: client.UpdateRequest{Name: "nobody handles", DeduplicationID: "a"}, WaitSeconds: 1})
	if s.Stage != client.UpdateSent || s.ID != "a" || time.Since(began) < time.Second {
		t.Errorf("after %v the status is %+v", time.Since(began), s)
	}
}

func TestAConsoleThatOnlyReadsSendsNoUpdate(t *testing.T) {
	t.Parallel()
	b, err := world()
	if err != nil {
		t.Fatal(err)
	}
	w := withCode(t, b.Store, nil)
	w.do(http.MethodPost, "api/v1/"+path("a")+"/update", api.Update{}).fails(api.CodeReadOnly, "")
}
