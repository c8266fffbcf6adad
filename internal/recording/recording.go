// Package recording reads and writes recordings of executions: an exported history, a run of several histories with a
// description, or a story of the simulation.
package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/history"
)

// Kinds of recordings.
const (
	// KindHistory is an exported history of one execution.
	KindHistory = "history"
	// KindRun is several histories in one document.
	KindRun = "run"
	// KindStory is a story of the simulation.
	KindStory = "story"
)

// Recording is a set of executions with a description.
type Recording struct {
	// Kind is one of the constants.
	Kind string
	// Title is one line, Text the description; both may be empty.
	Title, Text string
	// Histories are in the order of each instance's executions.
	Histories []history.Export
}

// document is the encoded form of a recording of several histories.
type document struct {
	V       int               `json:"v"`
	Title   string            `json:"title,omitempty"`
	Text    string            `json:"text,omitempty"`
	Exports []json.RawMessage `json:"exports"`
}

const version = 1

// Encode returns the document of a recording:
//
//	{"v":1,"title":"run 17, …","text":"…","exports":[{"v":1,"instance":"order-1",…},…]}
//
// Each export has the format of history.EncodeExport, with one event per line.
func Encode(r *Recording) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(document{V: version, Title: r.Title, Text: r.Text, Exports: []json.RawMessage{}}); err != nil {
		return nil, err
	}
	// One event per line, as in the exports, so that files can be compared.
	out.Truncate(bytes.LastIndexByte(out.Bytes(), ']'))
	for i, x := range r.Histories {
		if i > 0 {
			out.WriteString(",")
		}
		out.WriteString("\n")
		out.Write(bytes.TrimSpace(history.EncodeExport(x)))
	}
	out.WriteString("\n]}\n")
	return out.Bytes(), nil
}

// ErrUnknown says that a file is not a recording.
var ErrUnknown = errors.New("not an exported history, a document of several, or a story of the simulation")

// Decode reads a recording of any kind.
func Decode(data []byte) (*Recording, error) {
	text := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	if !bytes.HasPrefix(text, []byte("{")) {
		return decodeStory(string(text))
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("not a JSON document: %w", err)
	}
	if d.Exports == nil {
		x, err := history.DecodeExport(text)
		if err != nil {
			if !bytes.Contains(text, []byte(`"events"`)) {
				return nil, ErrUnknown
			}
			return nil, err
		}
		if len(x.Events) == 0 {
			return nil, errors.New("the history has no events")
		}
		return &Recording{Kind: KindHistory, Histories: []history.Export{named(x)}}, nil
	}
	if d.V > version {
		return nil, fmt.Errorf("the document has version %d, but this build reads up to %d: %w", d.V, version, history.ErrNewer)
	}
	r := &Recording{Kind: KindRun, Title: d.Title, Text: d.Text}
	for i, raw := range d.Exports {
		x, err := history.DecodeExport(raw)
		if err != nil {
			return nil, fmt.Errorf("export %d: %w", i+1, err)
		}
		if len(x.Events) > 0 {
			r.Histories = append(r.Histories, named(x))
		}
	}
	if len(r.Histories) == 0 {
		return nil, errors.New("the document has no history with events")
	}
	return r, nil
}

// named fills in the instance and execution that a plain history document omits.
func named(x history.Export) history.Export {
	start := x.Events[0].Start
	if x.ExecutionID == 0 {
		x.ExecutionID = 1
		if start != nil && start.ExecutionID > 0 {
			x.ExecutionID = start.ExecutionID
		}
	}
	if x.Instance == "" {
		x.Instance = "(unnamed)"
		if name := strings.TrimSpace(x.Events[0].Name); name != "" {
			x.Instance = "(" + name + ")"
		}
	}
	return x
}
