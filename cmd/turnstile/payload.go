package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// readPayload reads the JSON value of a flag: as it stands, from a file
// (@FILE) or from standard input (-). An empty flag is no payload.
func (c *cli) readPayload(flag, value string) (json.RawMessage, error) {
	var data []byte
	var err error
	file, isFile := strings.CutPrefix(value, "@")
	switch {
	case value == "":
		return nil, nil
	case value == "-":
		data, err = io.ReadAll(c.in)
	case isFile:
		data, err = os.ReadFile(file)
	default:
		data = []byte(value)
	}
	if err != nil {
		return nil, fmt.Errorf("reading --%s: %w", flag, err)
	}
	var payload json.RawMessage
	if err := json.Unmarshal(data, &payload); err != nil {
		return nil, usagef("--%s is not JSON: %v (a text needs its quotes: --%s '\"text\"')", flag, err, flag)
	}
	return payload, nil
}
