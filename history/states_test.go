package history_test

import (
	"reflect"
	"testing"

	"github.com/turnstile-go/turnstile/history"
)

func TestStatesKeepTheirValuesToTheByte(t *testing.T) {
	t.Parallel()
	states := []history.State{
		{Name: "a\"b", Value: []byte(`{ "n": 1.50 }`), ExecutionID: 2, EventID: 9, AtMS: 1700000000000},
		{Name: "status", Value: []byte(`null`)},
	}
	data := history.EncodeStates(states)
	if got, err := history.DecodeStates(data); err != nil || !reflect.DeepEqual(got, states) {
		t.Errorf("%s gives %+v, %v", data, got, err)
	}
	if got := history.StateNamed(data, "a\"b"); string(got) != `{ "n": 1.50 }` {
		t.Errorf("the value is %s", got)
	}
	if got, err := history.DecodeStates(nil); history.EncodeStates(nil) != nil || got != nil || err != nil {
		t.Errorf("no states give %+v, %v", got, err)
	}
	for _, bad := range []string{`7`, `{"a":7}`, `{"a":{"event_id":1}}`, `{"a":{"value":1}`} {
		if got, err := history.DecodeStates([]byte(bad)); err == nil {
			t.Errorf("%s gives %+v", bad, got)
		}
	}
}

func TestACustomStatusOfAnEarlyBuildIsTheStateThatListsShow(t *testing.T) {
	t.Parallel()
	events, err := history.Decode([]byte(`{"v":1,"events":[{"event_id":1,"kind":"OrchestrationStarted","at_ms":5,"name":"Fulfil","execution_id":2,"custom_status":"packing","input":1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	states, err := history.DecodeStates(events[0].Start.States)
	if want := []history.State{{Name: history.ListedState, Value: []byte(`"packing"`)}}; err != nil || !reflect.DeepEqual(states, want) {
		t.Errorf("it gives %+v, %v", states, err)
	}
}
