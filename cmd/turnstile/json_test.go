package main

import (
	"bytes"
	"testing"
)

func TestJSONCannotSteerATerminal(t *testing.T) {
	t.Parallel()
	for name, print := range map[string]func(*cli) error{
		"indented": func(c *cli) error { return c.printJSON([]string{"\u009b2J\u202e"}) },
		"a line":   func(c *cli) error { return c.printLine([]string{"\u009b2J\u202e"}) },
	} {
		var out bytes.Buffer
		if err := print(&cli{out: &out}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(out.Bytes(), []byte(`"\u009b2J\u202e"`)) {
			t.Errorf("%s: %q, want both characters escaped", name, out.String())
		}
	}
}
