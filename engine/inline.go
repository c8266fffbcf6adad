package engine

// inlineQueue holds inline activities in the order of scheduling. They run
// inside the turn once all else rests; the host runs them and hands each
// result in like an arrival of its own, so the rules hold unchanged.
type inlineQueue struct{ futures []*Future }

func (q *inlineQueue) push(f *Future) { q.futures = append(q.futures, f) }

// open drops what is no longer open and returns the rest.
func (q *inlineQueue) open() []*Future {
	for len(q.futures) > 0 && q.futures[0].state != open {
		q.futures = q.futures[1:]
	}
	return q.futures
}

func (x *Execution) inlineCalls() []InlineCall {
	var calls []InlineCall
	for _, f := range x.openInline.open() {
		if f.state != open {
			continue
		}
		e := &x.events[f.id-1]
		calls = append(calls, InlineCall{EventID: e.EventID, Name: e.Name, Input: e.Payload, Retry: e.Retry, AtMS: e.AtMS})
	}
	return calls
}
