package wire_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

func TestNumbersAreWrittenAsEncodingJSONDoes(t *testing.T) {
	t.Parallel()
	for _, n := range []float64{1, 1.5, 2, 0.1, 1.0 / 3, 1e-6, 9.99e-7, 1e-300, 1e20, 1e21, 123456789.125, math.MaxFloat64} {
		i := wire.Item{Kind: wire.ActivityExecute, Instance: "i", ExecutionID: 1, SchedulingEventID: 2, Name: "n", Token: "t", Attempt: 1, Retry: &history.Retry{Coefficient: n}}
		body := string(encode(t, i))
		want, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(body, `"retry":{"coefficient":`+string(want)+`}`) {
			t.Errorf("%v is to stand as %s in %s", n, want, body)
		}
		if got, err := wire.Parse([]byte(body)); err != nil || got.Retry.Coefficient != n {
			t.Errorf("%v came back as %+v, %v", n, got.Retry, err)
		}
	}
}
