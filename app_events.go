package turnstile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"github.com/turnstile-go/turnstile/internal/catalog"
	"github.com/turnstile-go/turnstile/internal/near"
)

// addTo makes an event a [Component]. The application then knows the event's type and can reject
// untyped data with an explanation ([App.CheckEvent]). Code may also wait for events that are not
// components of an application.
func (e Event[T]) addTo(a *App) {
	a.refuse("event", e.name, e.source, e.problem)
	if e.problem != nil {
		return
	}
	if a.events == nil {
		a.events = make(map[string][]func([]byte) error)
	}
	a.events[e.name] = append(a.events[e.name], e.check)
	a.declared = append(a.declared, catalog.Declaration{Kind: catalog.Event, Name: e.name, Takes: reflect.TypeFor[T]()})
}

// CheckEvent checks data against the application's events of that name. It returns nil if one of
// them accepts the data, or if no event of that name is a component, because the type is then
// unknown. Otherwise it returns a [*DecodeError] that names the field: the type cannot decode data,
// or data is an object with a field that the type does not have. Events with the same name may have
// different types.
func (a *App) CheckEvent(name string, data []byte) error {
	var problem error
	for _, check := range a.events[name] {
		err := check(data)
		if err == nil {
			return nil
		}
		if problem == nil {
			problem = err
		}
	}
	return problem
}

// check is stricter than the decoding of a wait: it rejects fields that the type does not have,
// which are usually misspelt.
func (e Event[T]) check(data []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &DecodeError{What: "data of event", Name: e.name, Type: typeName[T](), Payload: bytes.Clone(data), Err: fmt.Errorf("its decoder panicked: %v", r)}
		}
	}()
	if _, err := decode[T](data, "data of event", e.name, false); err != nil || len(data) == 0 {
		return err
	}
	var v T
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil && err != io.EOF {
		if hint := near.Field(err, v); hint != "" {
			err = fmt.Errorf("%w%s", err, hint)
		}
		return &DecodeError{What: "data of event", Name: e.name, Type: typeName[T](), Payload: bytes.Clone(data), Err: err}
	}
	return nil
}
