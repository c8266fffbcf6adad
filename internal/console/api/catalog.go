package api

import (
	"encoding/json"
	"time"

	"github.com/turnstile-go/turnstile/internal/catalog"
	"github.com/turnstile-go/turnstile/internal/schema"
)

// Catalog is what the code contains, as far as the console knows it. Forms use it.
type Catalog struct {
	// Builds that have stored their catalog, newest first.
	Builds []CatalogBuild `json:"builds"`
	// Orchestrations are sorted by name, newest version first; Activities, Events, Queries and
	// Updates by name. If several builds have an entry, that of the newest build is used.
	Orchestrations []CatalogEntry `json:"orchestrations"`
	Activities     []CatalogEntry `json:"activities"`
	Events         []CatalogEntry `json:"events"`
	Queries        []CatalogEntry `json:"queries"`
	Updates        []CatalogEntry `json:"updates"`
}

// CatalogBuild is a build of the application, or a process of it.
type CatalogBuild struct {
	// Build is its id; omitted for a process on one machine that has none.
	Build string `json:"build,omitempty"`
	// Serves is what the build runs: "orchestrations", "activities", or "all".
	Serves string `json:"serves"`
	// Since is when the first process of the build started.
	Since time.Time `json:"since"`
	// Orchestrations, Activities, Events, Queries and Updates are the numbers of each that it has.
	Orchestrations int `json:"orchestrations"`
	Activities     int `json:"activities"`
	Events         int `json:"events"`
	Queries        int `json:"queries"`
	Updates        int `json:"updates"`
}

// CatalogEntry is an orchestration, an activity, an event, a query or an update.
type CatalogEntry struct {
	Name string `json:"name"`
	// Version of an orchestration; omitted for none.
	Version string `json:"version,omitempty"`
	// Takes is the input, or the data of an event.
	Takes CatalogType `json:"takes"`
	// Returns is the output or the result; omitted for an event.
	Returns *CatalogType `json:"returns,omitempty"`
}

// CatalogType is a type of the code.
type CatalogType struct {
	// Type is its name in Go.
	Type string `json:"type"`
	// Schema is the JSON Schema of what it takes.
	Schema json.RawMessage `json:"schema"`
	// Example is indented JSON to fill in. Omitted for a type without fields.
	Example string `json:"example,omitempty"`
}

// Check checks data against a type of the code.
type Check struct {
	// Kind is "orchestration", "query" or "update" for its input, "activity" for its result,
	// "event" for its data.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Version of an orchestration; omitted for the newest.
	Version string `json:"version,omitempty"`
	// Data as text, so that data which is not JSON can be checked too.
	Data string `json:"data"`
}

// Checked has the problems of data.
type Checked struct {
	// Known is set if the catalog has an entry of that kind, name and version. Otherwise nothing
	// was checked.
	Known bool `json:"known"`
	// Type is the Go type against which the data was checked.
	Type string `json:"type,omitempty"`
	// Problems, at most twenty; errors before warnings.
	Problems []CheckProblem `json:"problems"`
}

// CheckProblem is an error or a warning about data.
type CheckProblem struct {
	// Path of the value, such as "items[2].price"; omitted for the whole.
	Path string `json:"path,omitempty"`
	// Text is one sentence, with the path.
	Text string `json:"text"`
	// Wrong is set if the code cannot decode the data. Otherwise the problem is a warning: a value
	// is empty, or the code ignores a field.
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
		s = &schema.Schema{} // Another build wrote it, without its type.
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
