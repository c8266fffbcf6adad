package scheduler

import (
	"encoding/json"
	"strings"

	"github.com/turnstile-go/turnstile/internal/timer"
)

// keyword is the prefix of the context attributes that Scheduler replaces in a body,
// such as <aws.scheduler.execution-id>.
// https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html
const keyword = "<aws.scheduler."

// literal returns a body that reaches the queue with the same meaning. In JSON, '<'
// occurs only in strings, where it can be escaped; other text with a keyword cannot be
// delivered unchanged.
func literal(s timer.Schedule) (string, error) {
	if !strings.Contains(s.Body, keyword) {
		return s.Body, nil
	}
	if !json.Valid([]byte(s.Body)) {
		return "", &timer.InvalidScheduleError{Name: s.Name, Field: "body", Problem: "it is not JSON and has " + keyword + "…>, which EventBridge Scheduler would replace"}
	}
	return strings.ReplaceAll(s.Body, keyword, `\u003c`+keyword[1:]), nil
}
