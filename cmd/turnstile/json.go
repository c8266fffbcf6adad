package main

import (
	"bytes"
	"encoding/json"

	"github.com/turnstile-go/turnstile/internal/printable"
)

// printLine prints JSON in a line of its own, where a stream of it is printed.
func (c *cli) printLine(v any) error { return c.printEncoded(v, "") }

// printJSON prints what --output json prints: types of package internal/console/api, which
// the console's API answers with too.
func (c *cli) printJSON(v any) error { return c.printEncoded(v, "  ") }

// printEncoded escapes what could steer a terminal and JSON does not escape by itself.
func (c *cli) printEncoded(v any, indent string) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := c.out.Write(printable.JSON(text.Bytes()))
	return err
}
