package api

import (
	"encoding/json"
	"time"

	"github.com/turnstile-go/turnstile/internal/catalog"
	"github.com/turnstile-go/turnstile/internal/schema"
)

// Catalog is what the code has, as far as the console knows it, for forms.
type Catalog struct {
	// Builds that have said what they have, the newest first.
	Builds []CatalogBuild `json:"builds"`
	// Orchestrations by name, the newest version first; Activities, Events and Queries by name. Of
	// what several builds have the newest build's counts.
	Orchestrations []CatalogEntry `json:"orchestrations"`
	Activities     []CatalogEntry `json:"activities"`
	Events         []CatalogEntry `json:"events"`
	Queries        []CatalogEntry `json:"queries"`
}

// CatalogBuild is a build of the application, or a process of it.
type CatalogBuild struct {
	// Build is its id; left out for a process on one machine without one.
	Build string `json:"build,omitempty"`
	// Serves is what runs there: "orchestrations", "activities", or "all".
	Serves string `json:"serves"`
	// Since when: the first start of a process of it.
	Since time.Time `json:"since"`
	// Orchestrations, Activities, Events and Queries are how many it has.
	Orchestrations int `json:"orchestrations"`
	Activities     int `json:"activities"`
	Events         int `json:"events"`
	Queries        int `json:"queries"`
}

// CatalogEntry is an orchestration, an activity, an event or a query.
type CatalogEntry struct {
	Name string `json:"name"`
	// Version of an orchestration; left out for none.
	Version string `json:"version,omitempty"`
	// Takes is the input, or the data of an event.
	Takes CatalogType `json:"takes"`
	// Returns is the output or the result; left out for an event.
	Returns *CatalogType `json:"returns,omitempty"`
}

// CatalogType is a type of the code.
type CatalogType struct {
	// Type is its name in Go.
	Type string `json:"type"`
	// Schema is the JSON Schema of what it takes.
	Schema json.RawMessage `json:"schema"`
	// Example to fill in: text of JSON, in lines. Left out for a type without fields.
	Example string `json:"example,omitempty"`
}

// Check holds data against a type of the code.
type Check struct {
	// Kind is "orchestration" or "query" for its input, "activity" for its result, "event"
	// for its data.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Version of an orchestration; left out for the newest.
	Version string `json:"version,omitempty"`
	// Data as text, so that what is no JSON can be asked about too.
	Data string `json:"data"`
}

// Checked says what is wrong with data, or odd about it.
type Checked struct {
	// Known: the code is known to have one of that kind, name and version. Nothing was
	// checked otherwise.
	Known bool `json:"known"`
	// Type in Go that the data was held against.
	Type string `json:"type,omitempty"`
	// Problems, at most twenty; what is wrong stands first.
	Problems []CheckProblem `json:"problems"`
}

// CheckProblem is something wrong with data, or odd about it.
type CheckProblem struct {
	// Path of the value, such as "items[2].price"; left out for the whole.
	Path string `json:"path,omitempty"`
	// Text in a sentence, with the path.
	Text string `json:"text"`
	// Wrong: the code cannot take the data. Otherwise it takes it, and finds something
	// empty, or does not look at a field.
	Wrong bool `json:"wrong"`
}

// CatalogEntryOf returns the JSON form of an entry.
func CatalogEntryOf(e *catalog.Entry) (CatalogEntry, error) {
	out := CatalogEntry{Name: e.Name, Version: e.Version}
	var err error
	if out.Takes, err = typeOf(e.Takes); err != nil || e.Returns == nil {
		return out, err
	}
	returns, err := typeOf(e.Returns)
	out.Returns = &returns
	return out, err
}

func typeOf(s *schema.Schema) (CatalogType, error) {
	if s == nil {
		s = &schema.Schema{} // Another build wrote it, and says nothing of its type.
	}
	text, err := json.Marshal(s)
	return CatalogType{Type: s.TypeName(), Schema: text, Example: string(s.Example())}, err
}

// CheckedOf returns the JSON form of what a check found.
func CheckedOf(s *schema.Schema, problems []schema.Problem) Checked {
	out := Checked{Known: true, Type: s.TypeName(), Problems: []CheckProblem{}}
	for _, p := range problems {
		out.Problems = append(out.Problems, CheckProblem{Path: p.Path, Text: p.String(), Wrong: p.Wrong})
	}
	return out
}
