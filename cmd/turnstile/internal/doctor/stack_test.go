package doctor

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
)

var now = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// stack is one as the template makes it.
type stack struct {
	queues    []Queue
	functions []Function
	sources   []Source
	tables    []Table
}

func template() *stack {
	const week2 = 14 * 24 * time.Hour
	fifo := func(name string, dead bool, to string) Queue {
		return Queue{Name: name, FIFO: true, IsFIFO: true, Dead: dead, ARN: "arn:" + name, ContentDedup: true, DedupScope: "messageGroup", ThroughputLimit: "perMessageGroupId",
			Visibility: 2 * time.Minute, Retention: week2, RedriveTo: to, MaxReceive: 1000, MaxMessage: 1 << 20}
	}
	plain := func(name string, dead bool, visibility time.Duration, to string) Queue {
		return Queue{Name: name, Dead: dead, ARN: "arn:" + name, Visibility: visibility, Retention: week2, RedriveTo: to, MaxReceive: 1000, MaxMessage: 1 << 20}
	}
	s := &stack{
		queues: []Queue{
			fifo(deadletter.Orchestrator, false, "arn:dead-fifo"), plain(deadletter.Delay, false, 2*time.Minute, "arn:dead"),
			plain(deadletter.Activity, false, 16*time.Minute, "arn:activity-dead"), plain(deadletter.ActivityDead, false, 2*time.Minute, "arn:dead"),
			fifo(deadletter.DeadFIFO, true, ""), plain(deadletter.Dead, true, 5*time.Minute, ""),
		},
		functions: []Function{
			{Role: "orchestrator", Name: "o", State: "Active", LastUpdate: "Successful", Timeout: time.Minute, Modified: now.Add(-time.Hour), Environment: map[string]string{"TURNSTILE_HISTORY_TABLE": "h"}},
			{Role: "activity", Name: "a", State: "Active", LastUpdate: "Successful", Timeout: 15 * time.Minute, Modified: now.Add(-time.Hour)},
			{Role: "query", Name: "q", State: "Active", LastUpdate: "Successful", Timeout: 30 * time.Second, Modified: now.Add(-time.Hour), RecursiveLoop: "Terminate"},
		},
		tables: []Table{{Name: "h", Status: "ACTIVE", Protected: true, RecoverableKnown: true, Recoverable: true, WantsTTL: true, TTLKnown: true, TTL: true}, {Name: "act", Status: "ACTIVE", WantsTTL: true, TTLKnown: true, TTL: true, Expendable: true}},
	}
	for _, q := range []string{deadletter.Orchestrator, deadletter.Delay, deadletter.ActivityDead, deadletter.Activity} {
		s.sources = append(s.sources, Source{EventSource: api.EventSource{Queue: q, State: "Enabled"}, PartialAnswer: true})
	}
	return s
}

func (s *stack) examine() []api.Finding {
	var out []api.Finding
	out = append(out, Queues(s.queues, s.functions)...)
	out = append(out, Backlog(s.queues, false)...)
	out = append(out, Functions(s.functions, map[string]string{"TURNSTILE_HISTORY_TABLE": "h"}, now)...)
	out = append(out, Sources(s.sources)...)
	return append(out, Tables(s.tables)...)
}

func TestWhatTheTemplateMakesIsFine(t *testing.T) {
	t.Parallel()
	for _, f := range template().examine() {
		if f.Level != OK {
			t.Errorf("%+v", f)
		}
	}
}

func TestWhatDoesNotFitIsFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		spoil func(*stack)
		level string
		says  string
	}{
		{"a queue that is not FIFO", func(s *stack) { s.queues[0].IsFIFO = false }, Problem, "queue orchestrator has FIFO false"},
		{"no deduplication by content", func(s *stack) { s.queues[0].ContentDedup = false }, Problem, "it rejects the messages of EventBridge Scheduler"},
		{"slow FIFO", func(s *stack) { s.queues[0].ThroughputLimit = "perQueue" }, Warning, "300 requests per second"},
		{"short retention", func(s *stack) { s.queues[1].Retention = 4 * 24 * time.Hour }, Warning, "queue delay keeps messages for 4 days"},
		{"visibility shorter than twice the timeout", func(s *stack) { s.queues[0].Visibility = time.Minute }, Problem, "processed twice at a time; the timeout must be at least 2m0s"},
		{"a longer timeout than the queue hides", func(s *stack) { s.functions[1].Timeout = 20 * time.Minute }, Problem, "the activity function can run for 20m0s"},
		{"dead letters to another queue", func(s *stack) { s.queues[2].RedriveTo = "arn:aws:sqs:x:1:other" }, Problem, `has the dead-letter queue "other" instead of activity-dead`},
		{"few receives", func(s *stack) { s.queues[2].MaxReceive = 3 }, Warning, "after 3 receives"},
		{"messages of a quarter of the size", func(s *stack) { s.queues[4].MaxMessage = 262144 }, Problem, "accepts messages of up to 262144 bytes instead of 1 MiB"},
		{"dead letters", func(s *stack) { s.queues[4].Visible = 2 }, Problem, "about 2 dead letters"},
		{"recursive loops end", func(s *stack) { s.functions[0].RecursiveLoop = "Terminate" }, Problem, "terminates recursive loops"},
		{"a variable of another stack", func(s *stack) { s.functions[0].Environment["TURNSTILE_HISTORY_TABLE"] = "x" }, Problem, "TURNSTILE_HISTORY_TABLE = x, but the stack has h"},
		{"a function that does not start", func(s *stack) { s.functions[1].State = "Failed" }, Problem, "the activity function is Failed"},
		{"no query function", func(s *stack) { s.functions = s.functions[:2] }, Warning, "the stack has no query function"},
		{"functions of two deployments", func(s *stack) { s.functions[0].Modified = now.Add(-100 * time.Hour) }, Warning, "deployed 4 days apart"},
		{"an update that failed", func(s *stack) { s.functions[0].LastUpdate = "Failed" }, Warning, "the last update"},
		{"a source that takes no partial answers", func(s *stack) { s.sources[0].PartialAnswer = false }, Problem, "ReportBatchItemFailures"},
		{"a source that is not there", func(s *stack) { s.sources = s.sources[1:] }, Problem, "queue orchestrator has no event source"},
		{"one source off", func(s *stack) { s.sources[3].State = "Disabled" }, Problem, "some event sources are off: activity is Disabled"},
		{"a source that fails", func(s *stack) { s.sources[3].Problem = "PROBLEM: Function call failed" }, Warning, "Function call failed"},
		{"all of them off", func(s *stack) {
			for i := range s.sources {
				s.sources[i].State = "Disabled"
			}
		}, Warning, "the stack is paused"},
		{"a table that is being made", func(s *stack) { s.tables[0].Status = "CREATING" }, Problem, "is CREATING"},
		{"no index", func(s *stack) { s.tables[0].Missing = []string{"by_name"} }, Problem, "no active index by_name"},
		{"no protection", func(s *stack) { s.tables[0].Protected = false }, Warning, "no deletion protection"},
		{"no recovery", func(s *stack) { s.tables[0].Recoverable = false }, Warning, "point in time"},
		{"nothing expires", func(s *stack) { s.tables[1].TTL = false }, Warning, "no time to live"},
		{"no answer to an update expires", func(s *stack) { s.tables[0].TTL = false }, Warning, "no time to live"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := template()
			c.spoil(s)
			var bad []api.Finding
			for _, f := range s.examine() {
				if f.Level != OK {
					bad = append(bad, f)
				}
			}
			if len(bad) != 1 || bad[0].Level != c.level || !strings.Contains(bad[0].Text, c.says) {
				t.Errorf("found is %+v, want one %s that says %q", bad, c.level, c.says)
			}
		})
	}
}

func TestAClockThatIsOffIsFound(t *testing.T) {
	t.Parallel()
	for skew, level := range map[time.Duration]string{0: OK, -4 * time.Second: OK, 6 * time.Second: Warning, -time.Hour: Problem} {
		if got := Clock(skew); len(got) != 1 || got[0].Level != level {
			t.Errorf("of %s it says %+v, want %s", skew, got, level)
		}
	}
}
