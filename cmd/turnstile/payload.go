package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// readPayload returns the JSON value that a flag or an operand gives: directly, as a file (@FILE) or on
// standard input (-). It returns nil for an empty value.
func (c *cli) readPayload(name, value string) (json.RawMessage, error) {
	var data []byte
	var err error
	file, isFile := strings.CutPrefix(value, "@")
	switch {
	case value == "":
		return nil, nil
	case value == "-" && c.idsRead:
		return nil, usagef("%s cannot read standard input, which has the instance ids: pass JSON or @FILE", name)
	case value == "-":
		data, err = io.ReadAll(c.in)
	case isFile:
		data, err = os.ReadFile(file)
	default:
		data = []byte(value)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	var payload json.RawMessage
	if err := json.Unmarshal(data, &payload); err != nil {
		return nil, usagef("%s is not JSON: %v (quote a string: %[1]s '\"text\"')", name, err)
	}
	return payload, nil
}
