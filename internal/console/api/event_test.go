package api_test

import (
	"reflect"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Each flag of an event is shown.
func TestEachFlagOfAnEventIsShown(t *testing.T) {
	t.Parallel()
	of := reflect.TypeFor[history.Event]()
	for i := range of.NumField() {
		f := of.Field(i)
		if f.Type.Kind() != reflect.Bool {
			continue
		}
		e := history.Event{Kind: history.ExternalEvent, EventID: 4}
		reflect.ValueOf(&e).Elem().Field(i).SetBool(true)
		shown := api.EventOf(&e, true)
		if v := reflect.ValueOf(shown).FieldByName(f.Name); !v.IsValid() || !v.Bool() {
			t.Errorf("%s is not shown", f.Name)
		}
	}
}
