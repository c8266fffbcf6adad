package history

// Export is the history of one execution outside its store: for reading, for
// a bug report, and for tests that replay it.
type Export struct {
	Instance    string
	ExecutionID int64
	Events      []Event
}

// EncodeExport returns the export document, one event a line:
//
//	{"v":1,"instance":"order-1","execution_id":1,"events":[
//	{"event_id":1,"kind":"OrchestrationStarted",…},
//	…
//	]}
//
// It is a history document with two more fields, which Decode takes too. What
// proves something is left out: the secret, and the token for the parent. The
// events given are not changed. Payloads stand in it as they are.
func EncodeExport(x Export) []byte {
	dst := make([]byte, 0, sizeHint(x.Events)+len(x.Instance)+80)
	dst = append(dst, `{"v":1`...)
	dst = appendText(dst, "instance", x.Instance)
	dst = appendInt(dst, "execution_id", x.ExecutionID)
	dst = append(dst, `,"events":[`...)
	for i := range x.Events {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '\n')
		e := x.Events[i]
		e.Start = blanked(e.Start)
		dst = AppendEvent(dst, &e)
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

// DecodeExport reads an export document, by the rules of Decode. Instance and
// execution are optional in it: a plain history document is an export too,
// which does not say whose it is.
func DecodeExport(data []byte) (Export, error) {
	var x Export
	d := decoder{data: data, export: &x}
	if !d.document() {
		return Export{}, d.err
	}
	x.Events = d.events
	return x, nil
}
