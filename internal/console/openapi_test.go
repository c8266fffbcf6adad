package console_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

var update = flag.Bool("update", false, "rewrite openapi.json")

const openapi = "../../console/openapi.json"

// TestOpenAPIDescribesWhatIsServed: the file is what the table of routes and the types
// of their bodies are, with the comments of the types. go test ./internal/console -update
// writes it.
func TestOpenAPIDescribesWhatIsServed(t *testing.T) {
	t.Parallel()
	want := document(t, looking(t, console.AllowActions()).h)
	if *update {
		if err := os.WriteFile(openapi, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(openapi)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("openapi.json does not say what is served: run go test ./internal/console -run OpenAPI -update\n%s", firstDifference(string(have), string(want)))
	}
}

func firstDifference(have, want string) string {
	h, w := strings.Split(have, "\n"), strings.Split(want, "\n")
	for i := range min(len(h), len(w)) {
		if h[i] != w[i] {
			return fmt.Sprintf("line %d\nhave %s\nwant %s", i+1, h[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(h), len(w))
}

type object = map[string]any

// document makes the OpenAPI document of a handler.
func document(t *testing.T, h http.Handler) []byte {
	t.Helper()
	s := &schemas{t: t, comments: commentsOf(t), made: object{}}
	paths := object{}
	for _, r := range console.RoutesOf(h) {
		if r.Summary == "" {
			t.Errorf("%s %s has no summary", r.Method, r.Pattern)
		}
		op := object{"summary": r.Summary, "responses": responses(s, &r)}
		var params []any
		for _, v := range variable.FindAllStringSubmatch(r.Pattern, -1) {
			params = append(params, object{"name": v[1], "in": "path", "required": true, "schema": object{"type": "string"}, "description": variables[v[1]]})
		}
		for _, p := range r.Query {
			params = append(params, object{"name": p.Name, "in": "query", "schema": kinds[p.Kind], "description": p.About})
		}
		if r.Method == http.MethodPost {
			params = append(params, object{"name": console.ActionHeader, "in": "header", "required": true, "schema": object{"type": "string"}, "description": "any value, such as 1: a page of another site cannot send it"})
			if r.Acts {
				params = append(params, object{"name": console.ActorHeader, "in": "header", "schema": object{"type": "string"}, "description": "on whose behalf it acts, for the histories; refused where the mounting program says that"})
			}
		}
		if params != nil {
			op["parameters"] = params
		}
		if r.Takes != nil {
			op["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": s.of(r.Takes)}}}
		}
		if r.Acts {
			op["description"] = "Only where actions are allowed; else the error is read_only."
		}
		path, _ := paths["/"+r.Pattern].(object)
		if path == nil {
			path = object{}
			paths["/"+r.Pattern] = path
		}
		path[strings.ToLower(r.Method)] = op
	}
	for _, live := range []any{api.LiveHello{}, api.LiveInstance{}, api.LiveGone{}, api.LiveList{}, api.LiveFailed{}} {
		s.of(reflect.TypeOf(live))
	}
	s.of(reflect.TypeFor[api.Failed]())
	text, err := json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Turnstile console", "version": "1",
			"description": "What a console answers under the path that it is mounted at. Times are RFC 3339 in UTC. A segment of a path is percent-encoded; one that begins with \"~\", or is \".\" or \"..\", has a \"~\" before it.",
		},
		"servers":    []any{object{"url": "api/v1"}},
		"paths":      paths,
		"components": object{"schemas": s.made},
	}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

var variable = regexp.MustCompile(`\{(\w+)\}`)

var variables = map[string]string{
	"id":        "id of the instance",
	"execution": `"current", or a number from 1`,
	"event":     "event id, from 1",
	"update":    "id of the update",
}

var kinds = map[string]object{
	"string": {"type": "string"}, "integer": {"type": "integer"}, "time": {"type": "string", "format": "date-time"}, "boolean": {"type": "boolean"},
}

func responses(s *schemas, r *console.Route) object {
	ok := object{"description": "done"}
	switch {
	case r.Returns != nil:
		ok["content"] = object{"application/json": object{"schema": s.of(r.Returns)}}
	case strings.HasSuffix(r.Pattern, "live"):
		ok["content"] = object{"text/event-stream": object{}}
		ok["description"] = "events hello, instance, gone, list, failed, whose data are LiveHello, LiveInstance, LiveGone, LiveList, LiveFailed"
	default:
		ok["content"] = object{"application/json": object{"schema": object{}}}
	}
	return object{
		"200":     ok,
		"default": object{"description": "why not", "content": object{"application/json": object{"schema": s.of(reflect.TypeFor[api.Failed]())}}},
	}
}

// schemas makes schemas of Go types.
type schemas struct {
	t        *testing.T
	comments map[string]string
	made     object
}

func (s *schemas) of(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case reflect.TypeFor[json.RawMessage]():
		return object{"description": "any JSON value"}
	case reflect.TypeFor[[]byte]():
		return object{"type": "string", "contentEncoding": "base64"}
	case reflect.TypeFor[history.SearchAttributes]():
		return object{"type": "object", "additionalProperties": object{"anyOf": []any{
			object{"type": "string"}, object{"type": "number"},
			object{"type": "object", "properties": object{"time": object{"type": "string", "format": "date-time"}}, "required": []any{"time"}},
		}}}
	}
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return object{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.Slice:
		return object{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Struct:
		s.structure(t)
		return object{"$ref": "#/components/schemas/" + t.Name()}
	}
	s.t.Fatalf("a schema of %s is not foreseen", t)
	return nil
}

func (s *schemas) structure(t reflect.Type) {
	if s.made[t.Name()] != nil {
		return
	}
	properties, required := object{}, []any{}
	schema := object{"type": "object", "properties": properties}
	s.made[t.Name()] = schema
	s.describe(schema, commented(t))
	s.fields(t, properties, &required)
	if len(required) > 0 {
		schema["required"] = required
	}
}

func (s *schemas) fields(t reflect.Type, properties object, required *[]any) {
	for f := range fields(t) {
		if f.Anonymous {
			s.fields(f.Type, properties, required)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		if name == "" {
			s.t.Errorf("%s.%s has no name in JSON", t, f.Name)
		}
		property := s.of(f.Type)
		s.describe(property, commented(t)+"."+f.Name)
		properties[name] = property
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
			*required = append(*required, name)
		}
	}
}

func fields(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

func (s *schemas) describe(schema object, name string) {
	if text := s.comments[name]; text != "" {
		schema["description"] = text
	}
}

// commented returns the name of a type in the comments: client.Description and schedule.Description differ.
func commented(t reflect.Type) string { return filepath.Base(t.PkgPath()) + "." + t.Name() }

// commentsOf returns the comments of the types that stand in bodies, and of their
// fields.
func commentsOf(t *testing.T) map[string]string {
	t.Helper()
	comments := map[string]string{}
	for _, dir := range []string{"../../history", "../wire", "../../store", "../../client", "../timeline", "../deadletter", "../cause", "../loglines", "../../engine", "../../schedule", "api"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), dir+"/"+e.Name(), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if g, ok := d.(*ast.GenDecl); ok {
					commentsOfTypes(filepath.Base(dir), g, comments)
				}
			}
		}
	}
	return comments
}

func commentsOfTypes(pkg string, g *ast.GenDecl, comments map[string]string) {
	for _, spec := range g.Specs {
		ts, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		structure, ok := ts.Type.(*ast.StructType)
		if !ok {
			continue
		}
		comments[pkg+"."+ts.Name.Name] = oneLine(cmpOr(ts.Doc, g.Doc).Text())
		for _, f := range structure.Fields.List {
			for _, n := range f.Names {
				comments[pkg+"."+ts.Name.Name+"."+n.Name] = oneLine(cmpOr(f.Doc, f.Comment).Text())
			}
		}
	}
}

func cmpOr(a, b *ast.CommentGroup) *ast.CommentGroup {
	if a != nil {
		return a
	}
	return b
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// file is openapi.json as it stands in the tree.
var file = sync.OnceValues(func() (object, error) {
	text, err := os.ReadFile(openapi)
	if err != nil {
		return nil, err
	}
	var doc object
	return doc, json.Unmarshal(text, &doc)
})

// checkAnswer holds a JSON answer of the API against the file.
func (b *bench) checkAnswer(r *http.Request, w *httptest.ResponseRecorder) {
	b.t.Helper()
	path, isAPI := strings.CutPrefix(r.URL.EscapedPath(), "/api/v1")
	if !isAPI || *update || !strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") || r.Method == http.MethodHead {
		return
	}
	doc, err := file()
	if err != nil {
		b.t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		b.t.Fatalf("%s %s: %v", r.Method, path, err)
	}
	check := validator{doc: doc}
	schema := object{"$ref": "#/components/schemas/Failed"}
	if w.Code == http.StatusOK {
		op := operation(doc, r.Method, path)
		if op == nil {
			b.t.Errorf("%s %s is served, and is not in %s", r.Method, path, openapi)
			return
		}
		schema = at(op, "responses", "200", "content", "application/json", "schema")
	}
	check.value("the answer", v, schema)
	for _, problem := range check.problems {
		b.t.Errorf("%s %s, status %d: %s", r.Method, path, w.Code, problem)
	}
}

// operation finds the operation of a path in the document.
func operation(doc object, method, path string) object {
	got := strings.Split(path, "/")
	for pattern, ops := range doc["paths"].(object) {
		want := strings.Split(pattern, "/")
		if len(want) == len(got) && !slices.ContainsFunc(indices(want), func(i int) bool {
			return !strings.HasPrefix(want[i], "{") && want[i] != got[i]
		}) {
			if op, ok := ops.(object)[strings.ToLower(method)].(object); ok {
				return op
			}
		}
	}
	return nil
}

func indices(s []string) []int {
	out := make([]int, len(s))
	for i := range out {
		out[i] = i
	}
	return out
}

func at(o object, keys ...string) object {
	for _, k := range keys {
		o, _ = o[k].(object)
	}
	return o
}
