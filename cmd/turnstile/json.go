package main

import "encoding/json"

// printJSON prints what --output json prints: types of package console/api, which
// the console's API answers with too.
func (c *cli) printJSON(v any) error {
	e := json.NewEncoder(c.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
