package ledger

import (
	"reflect"
	"testing"

	"github.com/turnstile-go/turnstile/history"
)

func TestEventsThatDifferInOneFieldAreNotAlike(t *testing.T) {
	t.Parallel()
	e := history.Event{EventID: 2, Payload: []byte("1"), Retry: &history.Retry{FinalCodes: []string{"x"}}, Failure: &history.Failure{Details: []byte("1")},
		Start: &history.Start{Parent: &history.Parent{EventID: 1}, SenderIDs: []string{"x"}, States: []byte("1"), SearchAttributes: history.SearchAttributes{"a": history.SearchTextOf("x")},
			Headers: map[string]string{"a": "x"}, Origin: &history.Origin{EventID: 1}}}
	c := copied(&e)
	if !Alike(&e, &c) || !Alike(&c, &e) {
		t.Error("an event is not like its copy")
	}
	e.Payload[0], e.Retry.FinalCodes[0], e.Failure.Details[0] = '2', "y", '2'
	e.Start.Parent.EventID, e.Start.SenderIDs[0], e.Start.States[0] = 2, "y", '2'
	e.Start.SearchAttributes["a"] = history.SearchTextOf("y")
	e.Start.Headers["a"], e.Start.Origin.EventID = "y", 2
	if s := c.Start; c.Payload[0] != '1' || c.Retry.FinalCodes[0] != "x" || c.Failure.Details[0] != '1' || s.Parent.EventID != 1 || s.SenderIDs[0] != "x" ||
		s.States[0] != '1' || s.SearchAttributes["a"] != history.SearchTextOf("x") || s.Headers["a"] != "x" || s.Origin.EventID != 1 {
		t.Error("a copy changes with the event that it is of")
	}
	for i := range reflect.TypeFor[history.Event]().NumField() {
		var a, b history.Event
		differ(t, &a, &b, reflect.ValueOf(&b).Elem(), i)
	}
	for i := range reflect.TypeFor[history.Retry]().NumField() {
		a, b := history.Event{Retry: &history.Retry{}}, history.Event{Retry: &history.Retry{}}
		differ(t, &a, &b, reflect.ValueOf(b.Retry).Elem(), i)
	}
	for i := range reflect.TypeFor[history.Failure]().NumField() {
		a, b := history.Event{Failure: &history.Failure{}}, history.Event{Failure: &history.Failure{}}
		differ(t, &a, &b, reflect.ValueOf(b.Failure).Elem(), i)
	}
	for i := range reflect.TypeFor[history.Start]().NumField() {
		a, b := history.Event{Start: &history.Start{}}, history.Event{Start: &history.Start{}}
		differ(t, &a, &b, reflect.ValueOf(b.Start).Elem(), i)
	}
	for i := range reflect.TypeFor[history.Origin]().NumField() {
		a, b := history.Event{Start: &history.Start{Origin: &history.Origin{}}}, history.Event{Start: &history.Start{Origin: &history.Origin{}}}
		differ(t, &a, &b, reflect.ValueOf(b.Start.Origin).Elem(), i)
	}
	for i := range reflect.TypeFor[history.Parent]().NumField() {
		a, b := history.Event{Start: &history.Start{Parent: &history.Parent{}}}, history.Event{Start: &history.Start{Parent: &history.Parent{}}}
		differ(t, &a, &b, reflect.ValueOf(b.Start.Parent).Elem(), i)
	}
}

// differ changes a field of a part of b, and requires Alike to notice.
func differ(t *testing.T, a, b *history.Event, of reflect.Value, field int) {
	t.Helper()
	switch f := of.Field(field); f.Kind() {
	case reflect.String:
		f.SetString("x")
	case reflect.Bool:
		f.SetBool(true)
	case reflect.Uint8:
		f.SetUint(1)
	case reflect.Float64:
		f.SetFloat(1)
	case reflect.Pointer:
		f.Set(reflect.New(f.Type().Elem()))
	case reflect.Map:
		f.Set(reflect.MakeMap(f.Type()))
		f.SetMapIndex(reflect.ValueOf("a"), reflect.New(f.Type().Elem()).Elem())
	case reflect.Slice:
		f.Set(reflect.MakeSlice(f.Type(), 1, 1))
	default:
		f.SetInt(1)
	}
	if Alike(a, b) || Alike(b, a) {
		t.Errorf("events that differ in %s of %s alone are taken for Alike", of.Type().Field(field).Name, of.Type())
	}
}
