package awslambda

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/names"
)

// reader collects all problems instead of stopping at the first.
type reader struct {
	values   map[string]string
	known    map[string]bool
	problems []configProblem
}

func newReader(environ []string) *reader {
	r := &reader{values: map[string]string{}, known: map[string]bool{}}
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "TURNSTILE_") {
			r.values[name] = value
		}
	}
	return r
}

// memoryMB returns 0 if Lambda does not set it.
func memoryMB(environ []string) int {
	for _, entry := range environ {
		if value, found := strings.CutPrefix(entry, "AWS_LAMBDA_FUNCTION_MEMORY_SIZE="); found {
			n, err := strconv.Atoi(value)
			if err != nil {
				return 0
			}
			return max(n, 0)
		}
	}
	return 0
}

func (r *reader) common() Config {
	e := Config{Environment: r.optional("TURNSTILE_ENVIRONMENT", "default", dimension)}
	level := r.optional("TURNSTILE_LOG_LEVEL", "info", logLevel)
	// An invalid level is already reported as a problem.
	_ = e.LogLevel.UnmarshalText([]byte(level))
	return e
}

func (r *reader) get(name string) string {
	r.known[name] = true
	return r.values[name]
}

func (r *reader) check(name, value string, s shape) {
	if !s.ok(value) {
		r.problems = append(r.problems, configProblem{Variable: name, Value: value, Want: s.want})
	}
}

func (r *reader) required(name string, s shape) string {
	value := r.get(name)
	r.check(name, value, s)
	return value
}

func (r *reader) optional(name, fallback string, s shape) string {
	value := r.get(name)
	if value == "" {
		return fallback
	}
	r.check(name, value, s)
	return value
}

// queues returns the URLs of queues by name. If the variable has the SQS name of a queue instead of
// its URL, the queue gets the URL prefix of beside. With full URLs, many queues would exceed the
// size limit of a function's variables.
func (r *reader) queues(variable, beside string) map[string]string {
	value := r.get(variable)
	if value == "" {
		return nil
	}
	all := map[string]string{}
	r.check(variable, value, shape{
		want: `pairs of an activity queue and the name or URL of its standard SQS queue, each once, such as "gpu=shop-GpuQueue-1A2B urgent=https://sqs.eu-central-1.amazonaws.com/123456789012/urgent"`,
		ok: func(value string) bool {
			for _, one := range strings.Fields(value) {
				name, url, _ := strings.Cut(one, "=")
				if url != "" && !strings.Contains(url, "/") {
					url = beside[:strings.LastIndex(beside, "/")+1] + url
				}
				if _, twice := all[name]; twice || names.Queue(name) != "" || !standardQueueURL.ok(url) {
					return false
				}
				all[name] = url
			}
			return true
		},
	})
	return all
}

// duration returns 0 for a variable that is not set.
func (r *reader) duration(name string, low, high time.Duration) time.Duration {
	value := r.get(name)
	if value == "" {
		return 0
	}
	d, err := time.ParseDuration(value)
	r.check(name, value, shape{
		want: fmt.Sprintf("a duration from %s to %s, such as 90s or 15m", low, high),
		ok:   func(string) bool { return err == nil && low <= d && d <= high },
	})
	return d
}

// whole returns 0 for a variable that is not set.
func (r *reader) whole(name string, low, high int) int {
	value := r.get(name)
	if value == "" {
		return 0
	}
	n, err := strconv.Atoi(value)
	r.check(name, value, shape{
		want: fmt.Sprintf("a whole number from %d to %d", low, high),
		ok:   func(string) bool { return err == nil && low <= n && n <= high },
	})
	return n
}

func (r *reader) unknown() []string {
	var names []string
	for name := range r.values {
		if !r.known[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (r *reader) err(process string) error {
	if len(r.problems) == 0 {
		return nil
	}
	return &configError{Process: process, Problems: r.problems}
}
