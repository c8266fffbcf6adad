package simulation

import (
	"reflect"
	"testing"

	"github.com/turnstile-go/turnstile/history"
)

func TestEventsThatDifferInOneFieldAreNotAlike(t *testing.T) {
	t.Parallel()
	if !alike(&history.Event{EventID: 2, Payload: []byte("1")}, &history.Event{EventID: 2, Payload: []byte("1")}) {
		t.Error("an event is not like its copy")
	}
	fields := reflect.TypeFor[history.Event]()
	for i := range fields.NumField() {
		var a, b history.Event
		f := reflect.ValueOf(&b).Elem().Field(i)
		switch f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Uint8:
			f.SetUint(1)
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		case reflect.Slice:
			f.SetBytes([]byte("1"))
		default:
			f.SetInt(1)
		}
		if alike(&a, &b) || alike(&b, &a) {
			t.Errorf("events that differ in %s alone are taken for alike", fields.Field(i).Name)
		}
	}
}
