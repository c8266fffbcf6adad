package history

import "encoding/json"

// Export is the history of one execution outside its store, for reading, for bug reports,
// and for tests that replay it.
type Export struct {
	Instance    string
	ExecutionID int64
	Events      []Event
	// Turns are the turns in which the events were committed. It is nil if they are not known, as
	// in exports by builds that did not write them. Replay does not need the turns; a timeline of
	// the history does.
	Turns []ExportTurn
}

// ExportTurn describes one turn of an export: its last event, and what its commit
// recorded. The turn starts after the last event of the previous turn.
type ExportTurn struct {
	// Last is the event_id of its last event.
	Last int64 `json:"last"`
	// Messaged is set if the turn starts with an arrival from a message. Parked is set if its last
	// arrivals were recorded without running the code.
	Messaged bool `json:"messaged,omitempty"`
	Parked   bool `json:"parked,omitempty"`
	// Cancelled lists the scheduling events that the turn cancelled, in order.
	Cancelled []int64 `json:"cancelled,omitempty"`
}

// EncodeExport returns the export document, one event per line:
//
//	{"v":1,"instance":"order-1","execution_id":1,"turns":[{"last":4,"messaged":true},…],"events":[
//	{"event_id":1,"kind":"OrchestrationStarted",…},
//	…
//	]}
//
// An export is a history document with additional fields; Decode reads it too. EncodeExport leaves
// out the secret and the token of the parent, and does not change the events that it receives. It
// does not decode payloads.
func EncodeExport(x Export) []byte {
	dst := make([]byte, 0, sizeHint(x.Events)+len(x.Instance)+80)
	dst = append(dst, `{"v":1`...)
	dst = appendText(dst, "instance", x.Instance)
	dst = appendInt(dst, "execution_id", x.ExecutionID)
	if len(x.Turns) > 0 {
		// Marshalling numbers and booleans cannot fail.
		turns, _ := json.Marshal(x.Turns)
		dst = append(append(dst, `,"turns":`...), turns...)
	}
	dst = append(dst, `,"events":[`...)
	for i := range x.Events {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '\n')
		e := x.Events[i]
		e.Start = blanked(e.Start)
		dst = appendEvent(dst, &e)
	}
	return append(dst, "\n]}\n"...)
}

// blanked returns a copy of s without its secret and token.
func blanked(s *Start) *Start {
	if s == nil {
		return nil
	}
	c := *s
	c.Secret = ""
	if s.Parent != nil {
		p := *s.Parent
		p.Token = ""
		c.Parent = &p
	}
	return &c
}

// DecodeExport reads an export document, by the rules of Decode. Instance, execution and
// turns are optional: a history document is also an export, without an instance.
// DecodeExport does not check that turns and events fit together; the reader of the
// export does.
func DecodeExport(data []byte) (Export, error) {
	var x Export
	d := decoder{data: data, export: &x}
	if !d.document() {
		return Export{}, d.err
	}
	x.Events = d.events
	return x, nil
}
