package doctor

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
)

// Queue is a queue with its settings.
type Queue struct {
	Name string
	// FIFO and Dead are what it has to be.
	FIFO, Dead bool
	ARN        string
	// Attributes by their names in SQS.
	IsFIFO                      bool
	ContentDedup                bool
	DedupScope, ThroughputLimit string
	Visibility, Retention       time.Duration
	RedriveTo                   string
	MaxReceive                  int
	// MaxMessage is how many bytes a message may have.
	MaxMessage                 int
	Visible, InFlight, Delayed int
}

// Function is a function with its settings.
type Function struct {
	// Role: "orchestrator" or "activity".
	Role, Name    string
	State, Reason string
	LastUpdate    string
	Timeout       time.Duration
	Memory        int
	Modified      time.Time
	Environment   map[string]string
	// RecursiveLoop is "Allow" or "Terminate"; empty where it is not known.
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
	// Missing are indexes that it has to have and has not, or not yet.
	Missing     []string
	Protected   bool
	Recoverable bool
	// RecoverableKnown and TTLKnown: it could be asked for.
	RecoverableKnown bool
	TTL, TTLKnown    bool
	WantsTTL         bool
}

// wholeMessage is the largest message that SQS takes, attributes included; stacks that
// were made before it was raised have queues that take a quarter.
const wholeMessage = 1 << 20

// Queues judges the queues: each by itself, and against the functions.
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
			bad(Problem, "queue %s is FIFO: %t, and has to be %t", q.Name, q.IsFIFO, q.FIFO)
		}
		if q.FIFO && !q.ContentDedup {
			bad(Problem, "queue %s has no content-based deduplication: what Scheduler sends is refused", q.Name)
		}
		if q.FIFO && (q.DedupScope != "messageGroup" || q.ThroughputLimit != "perMessageGroupId") {
			bad(Warning, "queue %s is not high-throughput FIFO (%s, %s): 300 requests a second are its limit", q.Name, q.DedupScope, q.ThroughputLimit)
		}
		if q.Retention < 14*24*time.Hour {
			bad(Warning, "queue %s keeps messages for %s, not for fourteen days: what waits longer is lost", q.Name, days(q.Retention))
		}
		if q.MaxMessage < wholeMessage {
			bad(Problem, "queue %s takes messages of up to %d bytes, not of 1 MiB: SQS refuses what is larger, and Turnstile fails or dead-letters what it can't send", q.Name, q.MaxMessage)
		}
		named := strings.HasPrefix(q.Name, deadletter.Activity+":")
		if named {
			target[q.Name] = deadletter.ActivityDead
		}
		if want := target[q.Name]; want != "" && q.RedriveTo != arns[want] {
			bad(Problem, "queue %s gives up to %q, not to the queue %s", q.Name, last(q.RedriveTo), want)
		}
		if target[q.Name] != "" && q.MaxReceive < 100 {
			bad(Warning, "queue %s gives a message up after %d receives: throttling counts as one, so that an outage costs messages", q.Name, q.MaxReceive)
		}
		role, factor := "orchestrator", 2*time.Duration(1)
		if q.Name == deadletter.Activity {
			role, factor = "activity", 1
		} else if named {
			role, factor = q.Name, 1
		}
		if timeout := timeouts[role]; !q.Dead && timeout > 0 && q.Visibility < factor*timeout {
			bad(Problem, "queue %s hides a message for %s, and the %s function may take %s: it would be handled twice at once; at least %s are needed", q.Name, q.Visibility, role, timeout, factor*timeout)
		}
	}
	if wrong == 0 && len(queues) > 0 {
		f.add(OK, "", "%d queues have the settings that Turnstile needs, and fit the functions' timeouts", len(queues))
	}
	return f.all
}

// Backlog judges what stands in the queues.
func Backlog(queues []Queue, paused bool) []api.Finding {
	f := findings{area: "dead letters"}
	dead := 0
	for _, q := range queues {
		if q.Dead && q.Visible+q.InFlight > 0 {
			dead += q.Visible + q.InFlight
			f.add(Problem, "`turnstile dead-letter list` says why, and what to do.", "about %d messages were given up, in the queue %s", q.Visible+q.InFlight, q.Name)
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
		f.add(OK, "", "nothing waits in the queues")
	case paused:
		f.add(Warning, "The stack is paused: queues keep messages for fourteen days.", "waiting: %s", strings.Join(waiting, "; "))
	default:
		f.add(OK, "", "waiting: %s", strings.Join(waiting, "; "))
	}
	return f.all
}

// Functions judges the functions, and their settings against the stack's addresses:
// by the name of the variable what it has to be, and by the role of a function of a named
// queue the address of that.
func Functions(functions []Function, want map[string]string, now time.Time) []api.Finding {
	f := findings{area: "functions"}
	for _, fn := range functions {
		before := len(f.all)
		if fn.State != "Active" && fn.State != "" {
			f.add(Problem, "Lambda's console says more.", "the %s function is %s: %s", fn.Role, fn.State, fn.Reason)
		}
		if fn.LastUpdate != "Successful" && fn.LastUpdate != "" {
			f.add(Warning, "A deployment is under way, or has failed.", "the last update of the %s function is %s", fn.Role, fn.LastUpdate)
		}
		if fn.RecursiveLoop == "Terminate" {
			f.add(Problem, "RecursiveLoop has to be Allow, or Lambda stops every chain after some 16 steps. "+deploy, "recursive loops of the %s function are terminated", fn.Role)
		}
		for name, value := range want {
			if own, has := want[fn.Role]; has && name == "TURNSTILE_ACTIVITY_QUEUE_URL" {
				value = own // that of the queue which the function is for
			}
			if have, set := fn.Environment[name]; set && value != "" && have != value {
				f.add(Problem, deploy, "the %s function has %s = %s, and the stack's is %s", fn.Role, name, have, value)
			}
		}
		if len(f.all) == before {
			f.add(OK, "", "the %s function (%s) is active: %d MB, timeout %s, deployed %s ago", fn.Role, fn.Name, fn.Memory, fn.Timeout, days(now.Sub(fn.Modified)))
		}
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
			f.add(Warning, "They are deployed together: an older one may not know what the other sends. Deploy all.", "%s were deployed %s apart", which, days(apart))
		} else {
			f.add(OK, "", "%s were deployed together", which)
		}
	}
	return f.all
}

// Sources judges the event sources. named are the activity queues that have a name.
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
				off = append(off, s.Queue+" is "+s.State)
			}
			if !s.PartialAnswer {
				f.add(Problem, deploy, "the event source of queue %s does not take partial answers (ReportBatchItemFailures): one message that fails brings its whole batch back", s.Queue)
			}
			if s.Problem != "" && !strings.Contains(strings.ToLower(s.Problem), "no records processed") && !strings.EqualFold(s.Problem, "OK") {
				f.add(Warning, "Lambda's console says more.", "the event source of queue %s: %s", s.Queue, s.Problem)
			}
		}
		if !found {
			f.add(Problem, deploy, "no function is run for the queue %s: it has no event source", want)
		}
	}
	switch {
	case len(off) > 0 && on == 0:
		f.add(Warning, "`turnstile unpause` lets it go on.", "the stack is paused")
	case len(off) > 0:
		f.add(Problem, "`turnstile unpause` turns all of them on, `turnstile pause` off.", "some event sources are off: %s", strings.Join(off, ", "))
	case on == len(wanted):
		f.add(OK, "", "all event sources are on")
	}
	return f.all
}

// Tables judges the tables.
func Tables(tables []Table) []api.Finding {
	f := findings{area: "tables"}
	for _, t := range tables {
		before := len(f.all)
		if t.Status != "ACTIVE" {
			f.add(Problem, "", "table %s is %s", t.Name, t.Status)
		}
		if len(t.Missing) > 0 {
			f.add(Problem, "An older template made it: deploy today's.", "table %s has no index %s that is active", t.Name, strings.Join(t.Missing, ", "))
		}
		if t.WantsTTL && t.TTLKnown && !t.TTL {
			f.add(Warning, deploy, "table %s has no time to live: what workers leave stays", t.Name)
		}
		if !t.Protected && !t.WantsTTL {
			f.add(Warning, "Deploy with deletion protection before there is anything in it to lose.", "table %s can be deleted: it has no deletion protection", t.Name)
		}
		if t.RecoverableKnown && !t.Recoverable && !t.WantsTTL {
			f.add(Warning, "Turn on point-in-time recovery: without it, a lost history cannot be restored.", "table %s cannot be restored to a point in time", t.Name)
		}
		if len(f.all) == before {
			f.add(OK, "", "table %s is active", t.Name)
		}
	}
	return f.all
}

// skewed is from when on a clock that differs is worth a warning, broken from when on
// AWS refuses requests.
const (
	skewed = 5 * time.Second
	broken = 4 * time.Minute
)

// Clock judges how far this machine's clock is from that of the other side.
func Clock(skew time.Duration) []api.Finding {
	f := findings{area: "clock"}
	switch by := skew.Abs(); {
	case by >= broken:
		f.add(Problem, "Set the clock: AWS refuses requests that are five minutes off, and --since and ages are wrong.", "this machine's clock is %s off", by.Round(time.Second))
	case by >= skewed:
		f.add(Warning, "Set the clock: --since and ages are off by as much.", "this machine's clock is %s off", by.Round(time.Second))
	default:
		f.add(OK, "", "this machine's clock agrees, to within %s", skewed)
	}
	return f.all
}

func last(arn string) string { return arn[strings.LastIndex(arn, ":")+1:] }

// days writes a long time.
func days(d time.Duration) string {
	if d >= 48*time.Hour {
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	}
	return d.Round(time.Minute).String()
}
