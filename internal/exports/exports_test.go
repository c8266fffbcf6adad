package exports_test

import (
	"reflect"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/exports"
	"github.com/turnstile-go/turnstile/store"
)

func TestAnExportHasTheTurnsThatItWasMadeOf(t *testing.T) {
	t.Parallel()
	event := func(id int64) history.Event {
		return history.Event{EventID: id, Kind: history.TimerFired, SourceEventID: 1}
	}
	turns := []store.Turn{
		{Instance: "order-1", ExecutionID: 2, Events: []history.Event{event(1), event(2)}, Messaged: true},
		{Instance: "order-1", ExecutionID: 2, Events: []history.Event{event(3)}, Parked: true},
		{Instance: "order-1", ExecutionID: 2, Events: []history.Event{event(4), event(5), event(6)}, Cancelled: []int64{2, 1}},
	}
	x := exports.New("order-1", 2, turns)
	read, err := history.DecodeExport(history.EncodeExport(x))
	if err != nil {
		t.Fatal(err)
	}
	if got, known := exports.Turns(read); !known || !reflect.DeepEqual(got, turns) {
		t.Errorf("they are read as %+v (%t), want %+v", got, known, turns)
	}
	for name, change := range map[string]func(*history.Export){
		"no turns":                           func(x *history.Export) { x.Turns = nil },
		"no events":                          func(x *history.Export) { x.Events = nil },
		"events that were cut at the end":    func(x *history.Export) { x.Events = x.Events[:5] },
		"a turn of which no event is there":  func(x *history.Export) { x.Events = x.Events[2:] },
		"a turn that ends where no event is": func(x *history.Export) { x.Events = append(x.Events[:2:2], x.Events[3:]...) },
	} {
		cut := x
		change(&cut)
		if got, known := exports.Turns(cut); known || got != nil {
			t.Errorf("%s: the turns are %+v", name, got)
		}
	}
}
