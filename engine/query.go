package engine

import (
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/turnstile-go/turnstile/internal/panics"
)

// HandleQuery registers the handler of a query; a later handler of the same name replaces it. A
// handler answers from the variables of the code and makes no durable calls. HandleQuery records
// nothing.
func (c *Context) HandleQuery(name string, handle func(input []byte) ([]byte, error)) error {
	x := c.x
	if _, err := x.enterUnrecorded("Query.Handle", name); err != nil {
		return err
	}
	if x.queries == nil {
		x.queries = make(map[string]func([]byte) ([]byte, error))
	}
	x.queries[name] = handle
	return nil
}

// Queries returns the names of the queries that the code handles, sorted.
func (x *Execution) Queries() []string { return slices.Sorted(maps.Keys(x.queries)) }

// ReadTo returns the id of the last event that a replay has visited; 0 if it has visited none.
func (x *Execution) ReadTo() int64 { return int64(x.cursor.next) }

// Query calls the handler of a query; Queries must have its name. The execution must be ReadOnly, must
// have been run, and must not be run again, because a handler may change the variables of the code. The
// error is a *QueryPanicError, a *MisuseError if the handler made a durable call, or the handler's own.
func (x *Execution) Query(name string, input []byte) (output []byte, err error) {
	leave := x.inspect(fmt.Sprintf("the handler of query %q", name))
	defer func() {
		misuse := leave()
		if r := recover(); r != nil {
			output, err = nil, &QueryPanicError{Value: x.panicText(r), Stack: panics.Stack(string(debug.Stack()))}
		}
		if misuse != nil {
			output, err = nil, misuse
		}
	}()
	return x.queries[name](input)
}

// inspect prepares for code that only reads the variables of the orchestration: its durable calls
// fail. The returned function ends that, and returns the first durable call that the code made.
func (x *Execution) inspect(code string) (leave func() *MisuseError) {
	current, nested, owner := x.current, x.nested, x.owner.Load()
	x.current, x.nested = &coroutine{x: x, query: true}, code
	x.owner.Store(goroutine())
	return func() *MisuseError {
		misuse := x.asked
		x.current, x.nested, x.asked = current, nested, nil
		x.owner.Store(owner)
		return misuse
	}
}

// QueryPanicError is returned if the handler of a query panicked.
type QueryPanicError struct {
	// Value is the text of the panic, and Stack the stack of its goroutine.
	Value, Stack string
}

func (e *QueryPanicError) Error() string {
	return fmt.Sprintf("the handler panicked: %s%s", e.Value, at(panics.Place(e.Stack)))
}
