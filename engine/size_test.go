package engine_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// Size agrees with the memory that the process measures, within 25 %, whatever the
// instance consists of, so a limit in bytes is effective. The test is not parallel,
// because it measures the memory of the process.
func TestSizeIsCloseToTheMemoryHeld(t *testing.T) {
	large := []byte(fmt.Sprintf(`{"data":"%03000d"}`, 7))
	for _, shape := range []struct {
		name   string
		events int // number of events at which it rests
		result []byte
		code   engine.Func
	}{
		{"a chain of 6", 12, payload200, ownInputs},
		{"a chain of 100", 200, payload200, ownInputs},
		{"a chain of large payloads", 40, large, ownInputs},
		{"a fan-out of 100", 101, payload200, func(c *engine.Context, _ []byte) ([]byte, error) {
			var fs []*engine.Future
			for range 100 {
				fs = append(fs, c.Activity(engine.ActivityCall{Name: "Step", Input: bytes.Clone(payload200)}))
			}
			_, err := c.Join(append(fs, c.ExternalEvent("never"))...)
			return nil, err
		}},
		{"20 branches", 21, payload200, func(c *engine.Context, _ []byte) ([]byte, error) {
			var fs []*engine.Future
			for range 20 {
				fs = append(fs, c.Go(func(c *engine.Context) ([]byte, error) {
					return c.Await(c.Activity(engine.ActivityCall{Name: "Step", Input: bytes.Clone(payload200)}))
				}))
			}
			_, err := c.Join(fs...)
			return nil, err
		}},
	} {
		t.Run(shape.name, func(t *testing.T) {
			reg := registryOf(t, shape.code)
			for _, how := range []string{"warm", "read"} {
				const instances = 200
				kept := make([]*engine.Execution, instances)
				before := held()
				said := 0
				for i := range kept {
					x := engine.New(engine.Config{Instance: fmt.Sprint("i-", i), ExecutionID: 1, Registry: reg})
					arrivals := []engine.Arrival{start(`"` + strings.Repeat("s", 200) + `"`)}
					var docs [][]byte
					for len(arrivals) > 0 {
						turn, err := x.Run(engine.Input{Arrivals: arrivals})
						if err != nil || turn.Stuck != nil {
							t.Fatal(err, turn.Stuck)
						}
						docs = append(docs, history.Encode(turn.Events))
						arrivals = nil
						if x.LastEventID() < int64(shape.events) {
							arrivals = []engine.Arrival{{Proven: true, Event: history.Event{Kind: history.ActivityCompleted, SourceEventID: x.LastEventID(), Payload: append([]byte(nil), shape.result...)}}}
						}
					}
					if how == "read" {
						x.Close()
						x = engine.New(engine.Config{Instance: fmt.Sprint("i-", i), ExecutionID: 1, Registry: reg})
						x.Reserve(shape.events)
						for _, doc := range docs {
							events, err := history.Decode(doc)
							if err != nil {
								t.Fatal(err)
							}
							if err := x.Feed(events, false); err != nil {
								t.Fatal(err)
							}
						}
						if turn, err := x.Run(engine.Input{}); err != nil || turn.Stuck != nil {
							t.Fatal(err, turn.Stuck)
						}
					}
					kept[i] = x
				}
				is := (held() - before) / instances
				for _, x := range kept {
					size, _ := x.Size()
					said += size
				}
				said /= instances
				t.Logf("%s, %s: %d events, %d bytes held, %d said", shape.name, how, kept[0].LastEventID(), is, said)
				least := 0.75
				if raced {
					least = 0.5
				}
				if float64(said) < float64(is)*least || float64(said) > float64(is)*1.25 {
					t.Errorf("%s, %s: it holds %d bytes, but Size returns %d", shape.name, how, is, said)
				}
				for _, x := range kept {
					x.Close()
				}
				runtime.KeepAlive(kept)
			}
		})
	}
}

// held returns the memory that the process uses: heap and stacks.
func held() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc + m.StackInuse)
}

// ownInputs is a chain whose inputs are separate allocations, like those of typed code.
func ownInputs(c *engine.Context, _ []byte) ([]byte, error) {
	for {
		if _, err := c.Await(c.Activity(engine.ActivityCall{Name: "Step", Input: bytes.Clone(payload200)})); err != nil {
			return nil, err
		}
	}
}
