package check

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/store"
)

// checkRejection is E-09 for recorded rejections: each names an event of its execution
// whose data cannot be decoded, gives the reason, and is the only one of that event. The
// transcript shows that the event was not taken as well, and that no event was skipped.
func (w *checker) checkRejection(x *ledger.Recorded, t *store.Turn, e *history.Event) {
	if _, update := e.Update(); e.Kind != history.ExternalRejected || update {
		return
	}
	violate := func(text string) {
		w.Violate("E-09", "event %d of %s/%d records that event %d was rejected, %s", e.EventID, t.Instance, t.ExecutionID, e.SourceEventID, text)
	}
	w.Reached("E-09")
	if e.SourceEventID < 1 || e.SourceEventID >= e.EventID {
		violate("which does not precede it")
		return
	}
	source := &x.Events[e.SourceEventID-1]
	_, ok := program.EventText(source.Payload)
	switch {
	case source.Kind != history.ExternalEvent || source.Name != e.Name:
		violate("which is not an event of that name")
	case ok:
		violate("and its data decodes")
	case x.Rejected[e.SourceEventID]:
		violate("a second time")
	case e.Reason == "":
		violate("without a reason")
	}
}
