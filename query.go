package turnstile

import (
	"errors"
	"reflect"

	"github.com/turnstile-go/turnstile/internal/catalog"
)

// Query declares a query, which the code of an instance answers from its variables, with the types of its
// input and output, which are encoded as JSON. The orchestration registers a handler ([Query.Handle]), and
// a client with permission calls client.Query:
//
//	var Estimate = turnstile.NewQuery[Place, Delivery]("estimate")
//
// For a value that many readers poll, use a [State], because each query reads and replays the history.
type Query[In, Out any] struct {
	name   string
	source string
	// problem is the problem with the name or the types; nil if there is none.
	problem error
}

// NewQuery declares a query.
func NewQuery[In, Out any](name string) Query[In, Out] {
	return Query[In, Out]{name: name, source: source(),
		problem: errors.Join(validName("query", name), encodable[In]("input of query", name), encodable[Out]("output of query", name))}
}

// Name returns the query's name.
func (q Query[In, Out]) Name() string { return q.name }

// Handle registers the handler of the query for this execution; a later handler replaces an earlier
// one. Register handlers before any other call, so that an instance can be queried from its first
// event on. Handle records nothing, so handlers can be added to running instances.
//
// The handler reads the variables of the code and must not wait. It runs in a copy of the execution
// that is discarded afterwards: variables that it changes do not change for the instance, and durable
// calls in it fail the query. If it panics or blocks, the query fails, and the instance is not affected.
//
// In a deferred function that runs while the orchestration is unloaded, Handle has no effect.
func (q Query[In, Out]) Handle(ctx Context, handler func(in In) (Out, error)) {
	run := ctx.engine("Query.Handle " + q.name)
	if q.source == "" || q.problem != nil {
		panic(unsound("Query.Handle", q.name, "NewQuery", q.problem))
	}
	encoded := run.Encoded()
	err := run.HandleQuery(q.name, func(input []byte) ([]byte, error) {
		in, err := decode[In](input, "input of query", q.name, encoded)
		if err != nil {
			return nil, err
		}
		out, err := handler(in)
		if err != nil {
			return nil, err
		}
		return encode(out, "output of query", q.name)
	})
	if misuse, ok := errors.AsType[*MisuseError](err); ok {
		panic(misuse)
	}
}

// addTo makes a query a [Component]. The console offers the queries of an application in a form.
func (q Query[In, Out]) addTo(a *App) {
	a.refuse("query", q.name, q.source, q.problem)
	if q.problem == nil {
		a.declared = append(a.declared, catalog.Declaration{Kind: catalog.Query, Name: q.name, Takes: reflect.TypeFor[In](), Returns: reflect.TypeFor[Out]()})
	}
}
