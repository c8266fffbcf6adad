package doctor

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// withQueue is a stack with an activity queue that has a name, as the command adds it.
func withQueue() *stack {
	s := template()
	named := s.queues[2]
	named.Name, named.ARN = "activity:gpu", "arn:gpu"
	s.queues = append(s.queues, named)
	function := s.functions[1]
	function.Role, function.Name = "activity:gpu", "g"
	s.functions = append(s.functions, function)
	s.sources = append(s.sources, Source{EventSource: api.EventSource{Queue: "activity:gpu", State: "Enabled"}, PartialAnswer: true})
	return s
}

func TestAQueueThatActivitiesNameAndTheStackDoesNotHave(t *testing.T) {
	t.Parallel()
	named := map[string][]string{"gpu": {"Render", "Encode"}, "mail": {"Send"}}
	all := Unserved(named, []string{"mail", "urgent"})
	if len(all) != 1 || all[0].Level != Problem || !strings.Contains(all[0].Text, "no queue gpu, which the deployed code names (Render, Encode)") || !strings.Contains(all[0].Advice, "queue add gpu") {
		t.Errorf("it says %+v", all)
	}
	if all := Unserved(named, []string{"gpu", "mail"}); len(all) != 0 {
		t.Errorf("all are there, and it says %+v", all)
	}
}

func TestAQueueThatHasANameIsJudgedAsTheDefaultOne(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*stack)
		want   string
	}{
		"all is well":                    {func(*stack) {}, ""},
		"its visibility is short":        {func(s *stack) { s.queues[6].Visibility = time.Minute }, "queue activity:gpu has a visibility timeout of 1m0s, but the activity:gpu function can run for 15m0s"},
		"it gives up to another queue":   {func(s *stack) { s.queues[6].RedriveTo = "arn:dead" }, `queue activity:gpu has the dead-letter queue "dead" instead of activity-dead`},
		"no function is run for it":      {func(s *stack) { s.sources = s.sources[:4] }, "queue activity:gpu has no event source"},
		"its function is of another day": {func(s *stack) { s.functions[3].Modified = now.Add(-72 * time.Hour) }, "the 4 functions were deployed 2 days apart"},
		"its function has another's queue": {func(s *stack) {
			s.functions[3].Environment = map[string]string{"TURNSTILE_ACTIVITY_QUEUE_URL": "default"}
		}, "the activity:gpu function has TURNSTILE_ACTIVITY_QUEUE_URL = default, but the stack has gpu"},
		"its function has the queue's name": {func(s *stack) { s.functions[3].Environment = map[string]string{"TURNSTILE_ACTIVITY_QUEUE_URL": "gpu"} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withQueue()
			c.change(s)
			all := append(Queues(s.queues, s.functions), Sources(s.sources, "activity:gpu")...)
			all = append(all, Functions(s.functions, map[string]string{"TURNSTILE_ACTIVITY_QUEUE_URL": "default", "activity:gpu": "gpu"}, now)...)
			found := false
			for _, f := range all {
				found = found || c.want != "" && strings.Contains(f.Text, c.want)
				if f.Level != OK && !strings.Contains(f.Text, c.want) || f.Level != OK && c.want == "" {
					t.Errorf("%s: %s", f.Level, f.Text)
				}
			}
			if c.want != "" && !found {
				t.Errorf("it does not say %q but %+v", c.want, all)
			}
		})
	}
}
