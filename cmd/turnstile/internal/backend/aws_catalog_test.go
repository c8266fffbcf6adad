package backend

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/store/dynamo"
)

var epoch = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// tableOf answers with builds, or an error.
type tableOf struct {
	builds []dynamo.Build
	err    error
	reads  int
}

func (f *tableOf) Builds(context.Context, int) ([]dynamo.Build, error) {
	f.reads++
	return f.builds, f.err
}

func TestTheCatalogOfAStackIsReadFromItsTableAndBelievedForAWhile(t *testing.T) {
	t.Parallel()
	now, table := epoch, &tableOf{builds: []dynamo.Build{
		{Serves: "orchestrations", ID: "new", Since: epoch, Catalog: []byte(`[{"kind":"orchestration","name":"Fulfil","takes":{"title":"string","type":"string"}}]`)},
		{Serves: "activities", ID: "odd", Since: epoch, Catalog: []byte(`{"of":"a later build"}`)},
	}}
	a := &awsCatalog{now: func() time.Time { return now }, open: func(context.Context) (buildsTable, error) { return table, nil }}
	for range 2 {
		got, err := a.Catalog(t.Context())
		if err != nil || len(got) != 2 || got[0].ID != "new" || len(got[0].Entries) != 1 || got[0].Entries[0].Takes.GoType != "string" || len(got[1].Entries) != 0 {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	now = now.Add(time.Minute)
	table.err = errors.New("no leave")
	if _, err := a.Catalog(t.Context()); err == nil || !strings.Contains(err.Error(), "no leave") || table.reads != 2 {
		t.Errorf("after a minute, %d reads: %v", table.reads, err)
	}
}
