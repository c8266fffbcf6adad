package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/turnstile-go/turnstile/internal/printable"
)

// printLine prints a value as one line of JSON, for a stream of lines.
func (c *cli) printLine(v any) error {
	text, err := encoded(v)
	if err != nil {
		return err
	}
	_, err = c.out.Write(text)
	return err
}

// printJSON prints a value for --output json. Values have types of package internal/console/api,
// which the console's API returns too.
func (c *cli) printJSON(v any) error {
	text, err := encoded(v)
	if err != nil {
		return err
	}
	lines, _ := printable.Indent(text, "")
	_, err = io.WriteString(c.out, lines+"\n")
	return err
}

// show prints an answer of the API: as JSON, or with view.
func (c *cli) show(answer any, view func()) error {
	if c.json() {
		return c.printJSON(answer)
	}
	view()
	return nil
}

// did prints the API's answer to an act: as JSON, or in words on out.
func (c *cli) did(out io.Writer, answer any, words string) error {
	if c.json() {
		return c.printJSON(answer)
	}
	_, err := fmt.Fprintln(out, words)
	return err
}

// encoded returns a value as one line of JSON. It also escapes characters that control a terminal
// and that JSON does not escape.
func encoded(v any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return printable.JSON(text.Bytes()), err
}
