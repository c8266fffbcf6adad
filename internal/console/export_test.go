package console

import (
	"net/http"
	"reflect"
)

// Param is a parameter of a query, for tests.
type Param struct{ Name, Kind, About string }

// Route is a route of the API, for tests.
type Route struct {
	Method, Pattern, Summary string
	Acts                     bool
	Query                    []Param
	Takes, Returns           reflect.Type
}

// RoutesOf returns the table of a handler.
func RoutesOf(h http.Handler) []Route {
	var out []Route
	for _, r := range h.(*handler).routes {
		of := Route{Method: r.method, Pattern: r.pattern, Summary: r.summary, Acts: r.acts, Takes: r.takes, Returns: r.returns}
		for _, p := range r.query {
			of.Query = append(of.Query, Param{p.name, p.kind, p.about})
		}
		out = append(out, of)
	}
	return out
}

// Statuses are the HTTP statuses of codes.
var Statuses = statuses
