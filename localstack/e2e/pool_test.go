//go:build unix

package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/turnstile-go/turnstile/internal/runtimeapi"
)

// pool hands out processes.
type pool struct {
	idle chan *runtimeapi.Bootstrap
	all  []*runtimeapi.Bootstrap
}

func startPool(ctx context.Context, t *testing.T, driver *runtimeapi.Driver, c runtimeapi.Command, environment []string, n int) *pool {
	t.Helper()
	// The more specific comes last, and wins.
	c.Env = append(append([]string(nil), environment...), c.Env...)
	p := &pool{idle: make(chan *runtimeapi.Bootstrap, n)}
	for range n {
		b, err := driver.Start(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		p.all = append(p.all, b)
		p.idle <- b
	}
	return p
}

func (p *pool) take(ctx context.Context) (*runtimeapi.Bootstrap, error) {
	select {
	case b := <-p.idle:
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// takeIdle returns nil if all are busy. Waiting for a second one could wait
// forever, for others who do the same.
func (p *pool) takeIdle() *runtimeapi.Bootstrap {
	select {
	case b := <-p.idle:
		return b
	default:
		return nil
	}
}

func (p *pool) giveBack(b *runtimeapi.Bootstrap) { p.idle <- b }

func (p *pool) log(t *testing.T) {
	for _, b := range p.all {
		out := b.Output()
		t.Logf("the end of what process %d wrote:\n%s", b.PID(), out[max(0, len(out)-4096):])
	}
}

// counted sums a counter over the metrics that the processes wrote, by reason.
func (p *pool) counted(counter string) map[string]int {
	sum := map[string]int{}
	for _, b := range p.all {
		for line := range bytes.Lines([]byte(b.Output())) {
			var metrics struct {
				Reasons map[string]map[string]int `json:"reasons"`
			}
			if json.Unmarshal(line, &metrics) != nil {
				continue
			}
			for reason, n := range metrics.Reasons[counter] {
				sum[reason] += n
			}
		}
	}
	return sum
}

// self runs the test binary as a function; see TestMain.
func self(t *testing.T, function string) runtimeapi.Command {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return runtimeapi.Command{Path: path, Env: []string{functionVariable + "=" + function}}
}
