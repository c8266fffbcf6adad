package main

import "encoding/json"

// printLine prints JSON in a line of its own, where a stream of it is printed.
func (c *cli) printLine(v any) error {
	e := json.NewEncoder(c.out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// printJSON prints what --output json prints: types of package console/api, which
// the console's API answers with too.
func (c *cli) printJSON(v any) error {
	e := json.NewEncoder(c.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
