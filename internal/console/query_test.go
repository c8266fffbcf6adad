package console_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
)

// A console that only reads asks too, for a query changes nothing.
func TestTheCodeOfAnInstanceAnswersAQuery(t *testing.T) {
	t.Parallel()
	w, err := world()
	if err != nil {
		t.Fatal(err)
	}
	b := withCode(t, w.Store, demo.App(0, nil))
	if a := get[api.About](b, "about"); !a.Capabilities.Queries || a.Actions {
		t.Errorf("it offers %+v", a)
	}
	c := get[api.Catalog](b, "catalog")
	i := slices.IndexFunc(c.Queries, func(q api.CatalogEntry) bool { return q.Name == "pages left" })
	if i < 0 || c.Queries[i].Takes.Example == "" || c.Builds[0].Queries != len(c.Queries) || c.Builds[0].Events != len(c.Events) {
		t.Errorf("the catalog has the queries %+v", c.Queries)
	}
	for _, e := range c.Events {
		if e.Name == "pages left" {
			t.Error("the catalog has a query as an event")
		}
	}
	at := "api/v1/" + path(demo.ManyAttempts) + "/query"
	a := post[api.QueryAnswer](b, path(demo.ManyAttempts)+"/query", api.Query{Name: "pages left", Input: []byte(`{"size":100}`)})
	if string(a.Output) != "40" || a.ExecutionID != 1 || a.ReadTo < 2 || a.LastEventID < a.ReadTo {
		t.Errorf("the answer is %+v", a)
	}
	failed := func(want api.Code, kind string, in api.Query, says ...string) {
		t.Helper()
		refused := b.do("POST", at, in).fails(want, says...)
		if no := refused.NoAnswer; (no == nil) != (kind == "") || no != nil && (no.Kind != kind || no.Instance != demo.ManyAttempts || no.Query != in.Name || no.Orchestration != "SyncCatalogue") {
			t.Errorf("why there is no answer to %+v: %+v", in, no)
		}
	}
	failed(api.CodeNoAnswer, "failed", api.Query{Name: "pages left", Input: []byte(`{"size":0}`)}, "size is 0")
	failed(api.CodeNoAnswer, "unknown", api.Query{Name: "pages"}, "pages left")
	failed(api.CodeInvalid, "", api.Query{}, "query name")
	b.do("POST", "api/v1/"+path("nothing")+"/query", api.Query{Name: "pages left"}).fails(api.CodeNotFound, "nothing")
	if r := b.do(http.MethodGet, at, nil); r.Code != http.StatusMethodNotAllowed {
		t.Errorf("a look is answered %d", r.Code)
	}
}

func TestAConsoleWithoutTheCodeSaysThatItCannotQuery(t *testing.T) {
	t.Parallel()
	b := withSecret(t)
	if get[api.About](b, "about").Capabilities.Queries {
		t.Error("it offers queries")
	}
	b.do("POST", "api/v1/"+path("a")+"/query", api.Query{Name: "x"}).fails(api.CodeNotOffered, "cannot ask queries")
}
