package orchestrator

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/worker"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	var zero host.Settings
	if err := zero.Complete(); err != nil {
		t.Fatal(err)
	}
	if zero != host.DefaultSettings() {
		t.Errorf("the zero value becomes %+v, want the defaults", zero)
	}
	kept := host.Settings{Parallelism: 3, Dispatch: host.DispatchSettings{TimerBorder: -1}, Turn: host.TurnSettings{BlockLimit: -1}, Cache: host.CacheSettings{Instances: -1}}
	if err := kept.Complete(); err != nil || kept.Parallelism != 3 || kept.Dispatch.TimerBorder != -1 || kept.Turn.BlockLimit != -1 || kept.Cache.Instances != -1 {
		t.Errorf("%+v, %v", kept, err)
	}
	wrong := host.Settings{Cache: host.CacheSettings{Age: time.Hour}, Purge: host.PurgeSettings{Grace: time.Minute}, Dispatch: host.DispatchSettings{TimerBorder: time.Hour, TimerLeast: time.Hour}}
	err := wrong.Complete()
	for _, name := range []string{"Cache.Age", "Purge.Grace", "TimerBorder", "TimerLeast"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v does not name %s", err, name)
		}
	}
}

func TestAllMissingValuesAreNamedTogether(t *testing.T) {
	t.Parallel()
	_, err := New(Config{Settings: host.Settings{Cache: host.CacheSettings{Age: time.Hour}}})
	for _, what := range []string{"orchestrations", "a store", "stop", "orchestrator queue", "delay queue", "activity queue", "FIFO dead-letter", "standard dead-letter", "Cache.Age"} {
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v does not name %s", err, what)
		}
	}
	_, err = worker.New(worker.Config{})
	for _, what := range []string{"activities", "stop", "orchestrator queue", "activity queue"} {
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v does not name %s", err, what)
		}
	}
}
