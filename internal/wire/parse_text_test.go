package wire_test

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// A parsed item does not alias the body. So parsing a body without copying it first gives
// the same item, even if the body changes afterwards, as it does here.
func TestAParsedItemDoesNotAliasTheBody(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"v":1,"kind":"ActivityExecute","instance":"order-1","execution_id":1,"scheduling_event_id":3,"name":"Charge","token":"1.4bd1c8","attempt":2,"headers":{"h":"x"},"input":{"order":"order-1"},"more":[1,2]}`,
		`{"v":1,"kind":"StartOrchestration","instance":"order-1","id":"s","name":"Main","input_base64":"AQI=","parent_instance":"p","parent_execution_id":1,"parent_id":2,"search_attributes":{"a":"b"}}`,
		`{"v":1,"kind":"ExternalRaised","instance":"order-1","id":"s","name":"tick","data":"text"}`,
		`{"v":1,"kind":"ActivityFailed","instance":"i","execution_id":1,"source_event_id":2,"token":"t","details":{"kind":"application","message":"m","details":{"a":1}}}`,
		`{"MessageBody":"{\"v\":1,\"kind\":\"TimerFired\",\"instance\":\"i\",\"execution_id\":1,\"source_event_id\":2,\"fire_at_ms\":5,\"token\":\"t\"}","QueueUrl":"q"}`,
		`{"v":1,"kind":"Unheard","instance":"i"}`, `not JSON`, ``,
	} {
		want, errWant := wire.Parse(wire.Unwrap([]byte(body)))
		room := []byte(body)
		got, err := wire.ParseWrapped(unsafe.String(unsafe.SliceData(room), len(room)))
		for i := range room {
			room[i] = '#'
		}
		if !reflect.DeepEqual(got, want) || (err == nil) != (errWant == nil) || err != nil && err.Error() != errWant.Error() {
			t.Errorf("%s\nis %+v, %v\nwant %+v, %v", body, got, err, want, errWant)
		}
		if strings.HasPrefix(body, `{"v":1`) && string(room) != strings.Repeat("#", len(body)) {
			t.Errorf("%s was not overwritten", body)
		}
	}
}
