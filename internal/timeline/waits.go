package timeline

import "github.com/turnstile-go/turnstile/history"

// waits determines which wait took which external event (rule 7 of docs/design.md): events go to
// waits by name, first in, first out; a cancelled wait takes none. Cancellations are recorded with
// the turns, not in the events, so they are not known for a history that came without its turns.
type waits struct {
	byName    map[string]*waiting
	cancelled map[int64]bool
	rejected  map[int64]bool
	known     bool
}

// waiting is the waits and events of one name, oldest first.
type waiting struct {
	open   []int64
	kept   []*history.Event
	waited int // waits so far
}

func newWaits(s *Source) waits {
	w := waits{byName: map[string]*waiting{}, cancelled: map[int64]bool{}, rejected: map[int64]bool{}, known: s.Known}
	for i := range s.Turns {
		for j := range s.Turns[i].Events {
			if e := &s.Turns[i].Events[j]; e.Kind == history.ExternalRejected {
				w.rejected[e.SourceEventID] = true
			}
		}
		for _, id := range s.Turns[i].Cancelled {
			w.cancelled[id] = true
		}
	}
	if !w.known {
		// If there are several waits of a name, which of them took an event is an assumption.
		for i := range s.Turns {
			for j := range s.Turns[i].Events {
				if e := &s.Turns[i].Events[j]; e.Kind == history.ExternalSubscribed {
					w.of(e.Name).waited++
				}
			}
		}
	}
	return w
}

func (w *waits) of(name string) *waiting {
	of := w.byName[name]
	if of == nil {
		of = &waiting{}
		w.byName[name] = of
	}
	return of
}

func (w *waits) subscribe(e *history.Event) {
	// It counts as cancelled only if it took no event.
	if !w.cancelled[e.EventID] {
		of := w.of(e.Name)
		of.open = append(of.open, e.EventID)
	}
}

func (w *waits) arrive(e *history.Event) {
	if w.rejected[e.EventID] {
		return
	}
	of := w.of(e.Name)
	of.kept = append(of.kept, e)
}

// take returns the oldest wait and the oldest event of a name, if there is one of each.
func (w *waits) take(name string) (wait int64, event *history.Event, assumed bool) {
	of := w.of(name)
	if len(of.open) == 0 || len(of.kept) == 0 {
		return 0, nil, false
	}
	wait, event = of.open[0], of.kept[0]
	of.open, of.kept = of.open[1:], of.kept[1:]
	return wait, event, !w.known && of.waited > 1
}
