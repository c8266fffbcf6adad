// Package catalog is what an application has, by name: its orchestrations, its
// activities, its events, its queries and its updates, with the types that they take and return.
package catalog

import (
	"reflect"

	"github.com/turnstile-go/turnstile/internal/schema"
)

// Kind of a declaration.
type Kind string

// The kinds of declarations.
const (
	Orchestration Kind = "orchestration"
	Activity      Kind = "activity"
	Event         Kind = "event"
	Query         Kind = "query"
	Update        Kind = "update"
)

// Declaration is one part of an application, with its Go types.
type Declaration struct {
	Kind          Kind
	Name, Version string
	// Takes is the input, or the data of an event; Returns the output or result,
	// nil for an event.
	Takes, Returns reflect.Type
	// Queue that an activity names in its declaration; empty for the default one.
	Queue string
}

// Entry is a declaration as it can be written down, and be read where the types are not.
type Entry struct {
	Kind    Kind           `json:"kind"`
	Name    string         `json:"name"`
	Version string         `json:"version,omitempty"`
	Takes   *schema.Schema `json:"takes"`
	Returns *schema.Schema `json:"returns,omitempty"`
	Queue   string         `json:"queue,omitempty"`
}

// Entries are those of declarations.
func Entries(of []Declaration) []Entry {
	out := make([]Entry, len(of))
	for i, d := range of {
		out[i] = Entry{Kind: d.Kind, Name: d.Name, Version: d.Version, Takes: schema.Of(d.Takes), Queue: d.Queue}
		if d.Returns != nil {
			out[i].Returns = schema.Of(d.Returns)
		}
	}
	return out
}
