package history

import "encoding/json"

// Export is the history of one execution outside its store: for reading, for
// a bug report, and for tests that replay it.
type Export struct {
	Instance    string
	ExecutionID int64
	Events      []Event
	// Turns says which events were committed together; nil where that is not
	// known, as in exports of builds that did not write it. Replay does not need
	// it: a picture of the history does.
	Turns []ExportTurn
}

// ExportTurn is what an export says of a turn: its last event, and the marks that
// its commit had. It begins after the turn before.
type ExportTurn struct {
	// Last is the event_id of its last event.
	Last int64 `json:"last"`
	// Messaged: it began with an arrival from a message. Parked: its last arrivals
	// were recorded without running the code.
	Messaged bool `json:"messaged,omitempty"`
	Parked   bool `json:"parked,omitempty"`
	// Cancelled are the scheduling events that it cancelled, in that order.
	Cancelled []int64 `json:"cancelled,omitempty"`
}

// EncodeExport returns the export document, one event a line:
//
//	{"v":1,"instance":"order-1","execution_id":1,"turns":[{"last":4,"messaged":true},…],"events":[
//	{"event_id":1,"kind":"OrchestrationStarted",…},
//	…
//	]}
//
// It is a history document with more fields, which Decode takes too. The export
// leaves out the secret and the token for the parent. The events given are not
// changed. Payloads stand in it as they are.
func EncodeExport(x Export) []byte {
	dst := make([]byte, 0, sizeHint(x.Events)+len(x.Instance)+80)
	dst = append(dst, `{"v":1`...)
	dst = appendText(dst, "instance", x.Instance)
	dst = appendInt(dst, "execution_id", x.ExecutionID)
	if len(x.Turns) > 0 {
		// Numbers and flags always become JSON.
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

// blanked returns a copy of s without what proves something.
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

// DecodeExport reads an export document, by the rules of Decode. Instance,
// execution and turns are optional in it: a plain history document is an export
// too, which does not say whose it is. Whether turns and events fit together is
// not looked at: the reader of an export checks that.
func DecodeExport(data []byte) (Export, error) {
	var x Export
	d := decoder{data: data, export: &x}
	if !d.document() {
		return Export{}, d.err
	}
	x.Events = d.events
	return x, nil
}
