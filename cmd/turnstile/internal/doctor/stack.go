package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Queue is a queue with its settings.
type Queue struct {
	Name string
	// FIFO and Dead are the required type.
	FIFO, Dead bool
	ARN        string
	// Attributes by their names in SQS.
	IsFIFO                      bool
	ContentDedup                bool
	DedupScope, ThroughputLimit string
	Visibility, Retention       time.Duration
	RedriveTo                   string
	MaxReceive                  int
	// MaxMessage is the largest size of a message in bytes.
	MaxMessage                 int
	Visible, InFlight, Delayed int
}

// Function is a function with its settings.
type Function struct {
	// Role is "orchestrator", "activity", "query", or "activity:NAME" for the function of a named queue.
	Role, Name    string
	State, Reason string
	LastUpdate    string
	Timeout       time.Duration
	Memory        int
	Modified      time.Time
	Environment   map[string]string
	// RecursiveLoop is "Allow" or "Terminate"; empty if it is not known.
	RecursiveLoop string
}

// Source is an event source with its settings.
type Source struct {
	api.EventSource
	BatchSize     int
	PartialAnswer bool
	Concurrency   int
	Problem       string
}

// Table is a table with its settings.
type Table struct {
	Name, Status string
	// Missing lists the required indexes that do not exist or are not active.
	Missing     []string
	Protected   bool
	Recoverable bool
	// RecoverableKnown and TTLKnown report whether the settings could be read.
	RecoverableKnown bool
	TTL, TTLKnown    bool
	WantsTTL         bool
	// Expendable is set if the table needs no deletion protection and no backups.
	Expendable bool
}

// wholeMessage is the largest message that SQS accepts, including attributes. Stacks that were
// deployed before SQS raised the limit have queues with a quarter of it.
const wholeMessage = 1 << 20

// Queues checks the settings of the queues, and that they fit the functions.
func Queues(queues []Queue, functions []Function) []api.Finding {
	f := findings{area: "queues"}
	arns := map[string]string{}
	for _, q := range queues {
		arns[q.Name] = q.ARN
	}
	target := map[string]string{
		deadletter.Orchestrator: deadletter.DeadFIFO, deadletter.Delay: deadletter.Dead,
		deadletter.Activity: deadletter.ActivityDead, deadletter.ActivityDead: deadletter.Dead,
	}
	timeouts := map[string]time.Duration{}
	for _, fn := range functions {
		timeouts[fn.Role] = fn.Timeout
	}
	wrong := 0
	bad := func(level, format string, args ...any) {
		wrong++
		f.add(level, deploy, format, args...)
	}
	for _, q := range queues {
		if q.FIFO != q.IsFIFO {
			bad(Problem, "queue %s has FIFO %t, but it must be %t", q.Name, q.IsFIFO, q.FIFO)
		}
		if q.FIFO && !q.ContentDedup {
			bad(Problem, "queue %s has no content-based deduplication: it rejects the messages of EventBridge Scheduler", q.Name)
		}
		if q.FIFO && (q.DedupScope != "messageGroup" || q.ThroughputLimit != "perMessageGroupId") {
			bad(Warning, "queue %s is not high-throughput FIFO (%s, %s): it is limited to 300 requests per second", q.Name, q.DedupScope, q.ThroughputLimit)
		}
		if q.Retention < 14*24*time.Hour {
			bad(Warning, "queue %s keeps messages for %s instead of 14 days: messages that wait longer are lost", q.Name, days(q.Retention))
		}
		if q.MaxMessage < wholeMessage {
			bad(Problem, "queue %s accepts messages of up to %d bytes instead of 1 MiB: SQS rejects larger ones, and Turnstile fails or dead-letters what it cannot send", q.Name, q.MaxMessage)
		}
		named := strings.HasPrefix(q.Name, deadletter.Activity+":")
		if named {
			target[q.Name] = deadletter.ActivityDead
		}
		if want := target[q.Name]; want != "" && q.RedriveTo != arns[want] {
			bad(Problem, "queue %s has the dead-letter queue %q instead of %s", q.Name, last(q.RedriveTo), want)
		}
		if target[q.Name] != "" && q.MaxReceive < 100 {
			bad(Warning, "queue %s gives up on a message after %d receives: throttled invocations count, so an outage can dead-letter messages", q.Name, q.MaxReceive)
		}
		role, factor := "orchestrator", 2*time.Duration(1)
		if q.Name == deadletter.Activity {
			role, factor = "activity", 1
		} else if named {
			role, factor = q.Name, 1
		}
		if timeout := timeouts[role]; !q.Dead && timeout > 0 && q.Visibility < factor*timeout {
			bad(Problem, "queue %s has a visibility timeout of %s, but the %s function can run for %s: a message could be processed twice at a time; the timeout must be at least %s", q.Name, q.Visibility, role, timeout, factor*timeout)
		}
	}
	if wrong == 0 && len(queues) > 0 {
		f.add(OK, "", "%d queues have the settings that Turnstile needs, and fit the functions' timeouts", len(queues))
	}
	return f.all
}

// Backlog checks the numbers of messages in the queues.
func Backlog(queues []Queue, paused bool) []api.Finding {
	f := findings{area: "dead letters"}
	dead := 0
	for _, q := range queues {
		if q.Dead && q.Visible+q.InFlight > 0 {
			dead += q.Visible + q.InFlight
			f.add(Problem, "`turnstile dead-letter list` shows the reasons and what to do.", "about %d dead letters in the queue %s", q.Visible+q.InFlight, q.Name)
		}
	}
	if dead == 0 {
		f.add(OK, "", "no dead letters")
	}
	f.area = "queues"
	var waiting []string
	for _, q := range queues {
		if !q.Dead && q.Visible+q.InFlight+q.Delayed > 0 {
			waiting = append(waiting, fmt.Sprintf("%s %d (and %d in flight, %d delayed)", q.Name, q.Visible, q.InFlight, q.Delayed))
		}
	}
	switch {
	case len(waiting) == 0:
		f.add(OK, "", "no messages wait in the queues")
	case paused:
		f.add(Warning, "The stack is paused: queues keep messages for 14 days.", "waiting: %s", strings.Join(waiting, "; "))
	default:
		f.add(OK, "", "waiting: %s", strings.Join(waiting, "; "))
	}
	return f.all
}

// Paused reports the paused queues of a program that can pause queues itself.
func Paused(paused []api.PausedQueue) []api.Finding {
	f := findings{area: "queues"}
	for i := range paused {
		p := &paused[i]
		f.add(Warning, "`turnstile unpause --queue "+p.Queue+"` turns it on; until then it keeps its messages, for 14 days.", "%s", printable.Line(p.Text()))
	}
	return f.all
}

// Functions checks the functions, and that their variables have the stack's addresses. want maps the
// name of a variable to its value, and the role of a named queue's function to the queue's URL.
func Functions(functions []Function, want map[string]string, now time.Time) []api.Finding {
	f := findings{area: "functions"}
	for _, fn := range functions {
		before := len(f.all)
		if fn.State != "Active" && fn.State != "" {
			f.add(Problem, "See the Lambda console.", "the %s function is %s: %s", fn.Role, fn.State, fn.Reason)
		}
		if fn.LastUpdate != "Successful" && fn.LastUpdate != "" {
			f.add(Warning, "A deployment is running or has failed.", "the last update of the %s function is %s", fn.Role, fn.LastUpdate)
		}
		if fn.RecursiveLoop == "Terminate" && fn.Role != "query" { // The query function sends no messages.
			f.add(Problem, "RecursiveLoop must be Allow, otherwise Lambda stops every chain after about 16 steps. "+deploy, "Lambda terminates recursive loops of the %s function", fn.Role)
		}
		for name, value := range want {
			if own, has := want[fn.Role]; has && name == "TURNSTILE_ACTIVITY_QUEUE_URL" {
				value = own // the URL of the function's own queue
			}
			if have, set := fn.Environment[name]; set && value != "" && have != value {
				f.add(Problem, deploy, "the %s function has %s = %s, but the stack has %s", fn.Role, name, have, value)
			}
		}
		if len(f.all) == before {
			f.add(OK, "", "the %s function (%s) is active: %d MB, timeout %s, deployed %s ago", fn.Role, fn.Name, fn.Memory, fn.Timeout, days(now.Sub(fn.Modified)))
		}
	}
	if !slices.ContainsFunc(functions, func(fn Function) bool { return fn.Role == "query" }) {
		f.add(Warning, deploy, "the stack has no query function: queries fail")
	}
	if len(functions) >= 2 {
		f.area = "versions"
		first, last := functions[0].Modified, functions[0].Modified
		for _, fn := range functions {
			if fn.Modified.Before(first) {
				first = fn.Modified
			}
			if fn.Modified.After(last) {
				last = fn.Modified
			}
		}
		which := "the two functions"
		if len(functions) > 2 {
			which = fmt.Sprintf("the %d functions", len(functions))
		}
		if apart := last.Sub(first); apart > 24*time.Hour {
			f.add(Warning, "Deploy all functions together: an older one may not understand the messages of a newer one.", "%s were deployed %s apart", which, days(apart))
		} else {
			f.add(OK, "", "%s were deployed together", which)
		}
	}
	return f.all
}

// Sources checks the event sources. named are the named activity queues.
func Sources(sources []Source, named ...string) []api.Finding {
	f := findings{area: "settings"}
	wanted := append([]string{deadletter.Orchestrator, deadletter.Delay, deadletter.ActivityDead, deadletter.Activity}, named...)
	off, on := []string{}, 0
	for _, want := range wanted {
		found := false
		for _, s := range sources {
			if s.Queue != want {
				continue
			}
			found = true
			if s.State == "Enabled" {
				on++
			} else {
				state := s.Queue + " is " + s.State
				if !s.ChangedAt.IsZero() {
					state += " since " + s.ChangedAt.UTC().Format("2006-01-02 15:04:05 UTC")
				}
				off = append(off, state)
			}
			if !s.PartialAnswer {
				f.add(Problem, deploy, "the event source of queue %s does not use partial batch responses (ReportBatchItemFailures): one failed message returns its whole batch to the queue", s.Queue)
			}
			if s.Problem != "" && !strings.Contains(strings.ToLower(s.Problem), "no records processed") && !strings.EqualFold(s.Problem, "OK") {
				f.add(Warning, "See the Lambda console.", "the event source of queue %s: %s", s.Queue, s.Problem)
			}
		}
		if !found {
			f.add(Problem, deploy, "queue %s has no event source: no function processes its messages", want)
		}
	}
	switch {
	case len(off) > 0 && on == 0:
		f.add(Warning, "`turnstile unpause` continues it. CloudTrail shows who paused it (UpdateEventSourceMapping).", "the stack is paused: %s", strings.Join(off, ", "))
	case len(off) > 0:
		f.add(Problem, "`turnstile unpause` turns all of them on, `turnstile pause` off. CloudTrail shows who changed them (UpdateEventSourceMapping).", "some event sources are off: %s", strings.Join(off, ", "))
	case on == len(wanted):
		f.add(OK, "", "all event sources are on")
	}
	return f.all
}

// Tables checks the tables.
func Tables(tables []Table) []api.Finding {
	f := findings{area: "tables"}
	for _, t := range tables {
		before := len(f.all)
		if t.Status != "ACTIVE" {
			f.add(Problem, "", "table %s is %s", t.Name, t.Status)
		}
		if len(t.Missing) > 0 {
			f.add(Problem, "Deploy the current template.yaml, which creates the index.", "table %s has no active index %s", t.Name, strings.Join(t.Missing, ", "))
		}
		if t.WantsTTL && t.TTLKnown && !t.TTL {
			f.add(Warning, deploy, "table %s has no time to live: old items are never deleted", t.Name)
		}
		if !t.Protected && !t.Expendable {
			f.add(Warning, "Deploy with deletion protection before the table has data.", "table %s can be deleted: it has no deletion protection", t.Name)
		}
		if t.RecoverableKnown && !t.Recoverable && !t.Expendable {
			f.add(Warning, "Turn on point-in-time recovery: without it, a lost history cannot be restored.", "table %s cannot be restored to a point in time", t.Name)
		}
		if len(f.all) == before {
			f.add(OK, "", "table %s is active", t.Name)
		}
	}
	return f.all
}

// skewed is the clock skew that causes a warning, broken the skew at which AWS soon rejects requests.
const (
	skewed = 5 * time.Second
	broken = 4 * time.Minute
)

// Clock checks the skew between this machine's clock and the server's.
func Clock(skew time.Duration) []api.Finding {
	f := findings{area: "clock"}
	switch by := skew.Abs(); {
	case by >= broken:
		f.add(Problem, "Set the clock: AWS rejects requests that are five minutes off, and --since and ages are wrong.", "this machine's clock is %s off", by.Round(time.Second))
	case by >= skewed:
		f.add(Warning, "Set the clock: --since and ages are off by as much.", "this machine's clock is %s off", by.Round(time.Second))
	default:
		f.add(OK, "", "this machine's clock is accurate to within %s", skewed)
	}
	return f.all
}

func last(arn string) string { return arn[strings.LastIndex(arn, ":")+1:] }

// days formats a duration, in days if it is long.
func days(d time.Duration) string {
	if d >= 48*time.Hour {
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	}
	return d.Round(time.Minute).String()
}
