package host

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// Settings bound what a handler does. The zero value of a field means its
// default; what can be turned off says how.
type Settings struct {
	// Parallelism is how many groups of a batch, or attempts of a batch of activities, run
	// at the same time. Default 10. With 1 they run one after another in the order of the
	// batch, on the caller's goroutine.
	Parallelism int
	// SendWindow is how long a message waits for other messages of its invocation to the
	// same queue, so that they share a call. It waits only while another group or attempt
	// of the invocation may still send. A quick attempt of a batch with slower ones may
	// therefore be reported that much later. Default 20 milliseconds; negative: no calls
	// are shared.
	SendWindow time.Duration
	// SuspectReceives is the receive of a message from which on its turn, or its attempt,
	// is noted in the table before it runs, so that one that kills its process is found.
	// Default 4; negative: never.
	SuspectReceives int
	// LogPayloads lets log lines quote payloads: the text of a panic, and the first 120
	// bytes of inputs that differ from the recorded ones. Without it the lines only say
	// where to look. It does not affect lines that authors write. With a codec no payload
	// is quoted.
	LogPayloads bool

	Turn     TurnSettings
	Dispatch DispatchSettings
	Messages MessageSettings
	Limits   LimitSettings
	Cache    CacheSettings
	Purge    PurgeSettings
	Loop     LoopSettings
	Attempt  AttemptSettings
}

// TurnSettings bound the making of turns.
type TurnSettings struct {
	// Time is how much of the invocation must be left to begin a turn. Default 10
	// seconds.
	Time time.Duration
	// InlineTime is how much of the invocation must be left to begin an inline activity;
	// otherwise the turn continues in another invocation. Default 15 seconds.
	InlineTime time.Duration
	// CommitAttempts is how often a commit is tried, identically, if its outcome is
	// unknown or it is throttled. A throttled commit with results of inline activities is
	// tried as long as there is time. Default 3.
	CommitAttempts int
	// Executions is how many executions of an instance one invocation runs
	// one after the other (continue-as-new) before it sends a wake. Default 20.
	Executions int
	// BlockLimit is how long orchestration code may block outside durable operations.
	// Blocking is noticed within twice this time. Default 10 seconds; negative: not
	// watched, and the code runs on the caller's goroutine.
	BlockLimit time.Duration
	// Ahead is how many bytes of history one write holds, where a redrive or a fork takes over
	// more than its commit does. Default 245,760; at most that.
	Ahead int
	// FailWhenStuck makes every instance fail instead of being stuck.
	FailWhenStuck bool
	// WakeFirst and WakeMax bound the delay after which a sweep lets a stuck instance try
	// again: WakeFirst after the first try, doubled with each try, at most WakeMax.
	// Defaults 1 minute and 1 hour.
	WakeFirst, WakeMax time.Duration
}

// DispatchSettings bound what is sent because of a commit.
type DispatchSettings struct {
	// Parallelism is how many calls the dispatch of one turn makes side
	// by side: requests to stop, schedules made and removed, batches of
	// messages. Default 32. Each of the turns that run side by side
	// (Settings.Parallelism) may make as many. With 1 they are made one after
	// another, on the caller's goroutine. EventBridge Scheduler takes 250 to 5,000
	// new schedules a second, by region; a call that it throttles is repeated with
	// growing pauses.
	Parallelism int
	// Time is how much of the invocation must be left to make another call, and half
	// of what must be left to begin another step: ten things to send for each of the
	// calls that are made at the same time. With half of it left,
	// calls under way are given up. The rest is sent when the turn's messages
	// come back. Default 5 seconds.
	Time time.Duration
	// TimerBorder is the longest wait for which a timer goes through the delay queue, and
	// not through the timer service. Default and upper bound 15 minutes; negative: no
	// timer does. TimerLeast is the wait below which every timer goes through the queue,
	// because a timer service refuses the past. Default 2 minutes.
	TimerBorder, TimerLeast time.Duration
}

// MessageSettings say how often and for how long messages come again.
type MessageSettings struct {
	// BackoffFirst and BackoffMax bound the delay after which a returned message is
	// delivered again: BackoffFirst, doubled with each receive, at most BackoffMax.
	// Defaults 1 second and 15 minutes: after an outage a message comes within about the
	// time that the outage took, and the queue's thousand receives last for ten days, or
	// for 33 hours if the function itself does not start, for then QueueVisibility alone
	// delays them.
	BackoffFirst, BackoffMax time.Duration
	// QueueVisibility is how long the orchestrator, delay and activity dead-letter queues
	// hide a message that was received. It must be what the queues have. Default 2
	// minutes.
	QueueVisibility time.Duration
	// RoundReceives is the receive from which on a message of the orchestrator queue is
	// sent through the delay queue, as a new message that counts as redriven. It must be
	// below the queue's maxReceiveCount (1,000), at which SQS would move the message to
	// the dead letters, perhaps between a commit and its dispatch. Default 900; negative:
	// never.
	RoundReceives int
	// ReleaseTime is how long a finished FIFO group waits for the others of its batch,
	// whose messages Lambda deletes together. After it the process deletes the group's
	// messages itself, so that SQS can hand out the next ones. Default 10 seconds;
	// negative: the group waits until the invocation returns.
	ReleaseTime time.Duration
	// EarlyWindow is how long an event waits in the delay queue for an instance that has
	// not started. Default 15 minutes. EarlyFirst and EarlyMax are the first and the
	// longest delay. Defaults 2 seconds and 2 minutes.
	EarlyWindow, EarlyFirst, EarlyMax time.Duration
	// PatchWindow is how long the messages of an instance wait in the delay queue for a
	// process of another build, if the history has a patch of that build; then the
	// instance is stuck. Default 15 minutes; negative: it is stuck at once. EarlyFirst and
	// EarlyMax are the delays.
	PatchWindow time.Duration
	// NewerFirst and NewerMax bound the delays of a message whose instance has events that
	// only a newer build knows. Defaults 1 and 15 minutes.
	NewerFirst, NewerMax time.Duration
}

// LimitSettings bound what code and histories may hold.
type LimitSettings struct {
	// Operations is how many operations the code may schedule in answer to one message,
	// Coroutines how many branches an execution may have at once. 0 means 10,000 of each.
	Operations, Coroutines int
	// Events is how many events an execution may have. The next message fails the instance
	// (imposed: limit) and asks its open work to stop. At four fifths there is a warning
	// in the log. Default 50,000; negative: no limit.
	Events int
	// Bytes is how much the events of an execution may hold: their payloads, and 300 bytes
	// for each event. A cold turn reads all of it. Default 50,000,000; negative: no limit.
	Bytes int
	// Result is the longest result of an activity, in bytes. Default 262,144.
	Result int
}

// CacheSettings bound the cache of recent instances.
type CacheSettings struct {
	// Bytes bounds the cache by what its instances hold: histories, operations, stacks. An
	// instance of a dozen events takes 15 KB, one of 200 events with payloads of 200
	// bytes 140 KB. Default 128 MiB; on Lambda a quarter of the function's memory.
	// If the cache is full, a random instance leaves it; its next turn reads its
	// history.
	Bytes int
	// Coroutines bounds the cache by branches that wait; an instance has at least one.
	// Default 10,000.
	Coroutines int
	// Instances bounds the cache by its number of instances. 0 means no such bound;
	// negative: no cache.
	Instances int
	// Age is how long after its last read or commit an instance may be
	// used without a read. Default and upper bound 10 minutes: the grace of a
	// purge rests on it.
	Age time.Duration
}

// LoopSettings bound loops without a pause: instances that send themselves or each
// other messages, or continue as new, without a timer or the result of a queued activity
// in between.
type LoopSettings struct {
	// Depth is how many turns in a row may follow from each other without a pause. A
	// message beyond that waits in the delay queue before it is delivered, counts as
	// CountLooping, and is noted in the record of the instance that sends it. Default
	// 1,000; negative: no limit.
	Depth int
	// First is how long the first message beyond Depth waits; each further turn doubles
	// the wait, up to Max. Defaults 1 second and 15 minutes, which is the most.
	First, Max time.Duration
	// Fail makes the instance that would exceed Depth fail (imposed: limit), instead of
	// the delays.
	Fail bool
}

// Beyond reports whether a depth is more than there may be.
func (s *LoopSettings) Beyond(depth int) bool { return s.Depth >= 0 && depth > s.Depth }

// PurgeSettings say when and how histories are deleted.
type PurgeSettings struct {
	// Grace is how long after its end a purged history stays. Default and
	// lower bound 1 hour: longer than cache age, function timeout and clock
	// skew together.
	Grace time.Duration
	// Page is how many stored items one call deletes. Default 500.
	Page int
	// Retention is how long an instance is kept after its end, if its orchestration does
	// not say (turnstile.Retention); then it is purged. 0 means for ever. At least Grace.
	Retention time.Duration
	// Executions is how many executions of an instance are kept, if its orchestration does
	// not say (turnstile.KeepExecutions). 0 means all. At least 2.
	Executions int
}

// AttemptSettings bound attempts of activities.
type AttemptSettings struct {
	// Timeout is the time limit of an attempt whose activity has no AttemptTimeout.
	// Default 5 minutes.
	Timeout time.Duration
	// Time is how much of the invocation must be left to begin an attempt. Default 10
	// seconds.
	Time time.Duration
	// ExitTime is how long before the invocation's end the context of an
	// activity ends. Default 5 seconds.
	ExitTime time.Duration
	// HeartbeatInterval is the least time between two recorded heartbeats of an
	// attempt; a third of its heartbeat timeout if that is less. Default 10
	// seconds.
	HeartbeatInterval time.Duration
	// QueueVisibility is how long the activity queue itself hides a message that was
	// received. It must be what the queue has. The message of an attempt without a time
	// limit of its own stays hidden for as long, and is then delivered again if the
	// process has died. Default 16 minutes.
	QueueVisibility time.Duration
	// VisibilityMargin is added to the time limit of an attempt when its message is
	// hidden from others. Default 30 seconds.
	VisibilityMargin time.Duration
	// LookAfter is the delay after its scheduling from which on a first attempt reads
	// first whether its activity is to stop. An attempt that begins sooner, as most do,
	// learns of it by its first heartbeat. All further attempts read. Default 10 seconds;
	// negative: each attempt reads.
	LookAfter time.Duration
	// DeathLimit is how many processes in a row must die in an attempt, from the receive
	// Settings.SuspectReceives of its message on, until its activity fails as lost.
	// Default 5.
	DeathLimit int
	// UnknownFirst and UnknownMax bound the delays of an attempt whose activity is not
	// registered; it waits until a build has it. Defaults 15 seconds and 15 minutes.
	UnknownFirst, UnknownMax time.Duration
}

// DefaultSettings returns the documented defaults.
func DefaultSettings() Settings {
	return Settings{
		Parallelism: 10, SendWindow: 20 * time.Millisecond, SuspectReceives: 4,
		Turn: TurnSettings{Time: 10 * time.Second, InlineTime: 15 * time.Second, CommitAttempts: 3, Executions: 20,
			BlockLimit: 10 * time.Second, Ahead: 240 << 10, WakeFirst: time.Minute, WakeMax: time.Hour},
		Dispatch: DispatchSettings{Parallelism: 32, Time: 5 * time.Second, TimerBorder: queue.MaxDelay, TimerLeast: 2 * time.Minute},
		Messages: MessageSettings{BackoffFirst: time.Second, BackoffMax: 15 * time.Minute, QueueVisibility: 2 * time.Minute, RoundReceives: 900, ReleaseTime: 10 * time.Second,
			EarlyWindow: 15 * time.Minute, EarlyFirst: 2 * time.Second, EarlyMax: 2 * time.Minute, PatchWindow: 15 * time.Minute,
			NewerFirst: time.Minute, NewerMax: queue.MaxDelay},
		Limits: LimitSettings{Events: 50_000, Bytes: 50_000_000, Result: 256 << 10},
		Cache:  CacheSettings{Bytes: 128 << 20, Coroutines: 10_000, Age: 10 * time.Minute},
		Purge:  PurgeSettings{Grace: time.Hour, Page: 500},
		Loop:   LoopSettings{Depth: 1000, First: time.Second, Max: queue.MaxDelay},
		Attempt: AttemptSettings{Timeout: 5 * time.Minute, Time: 10 * time.Second, ExitTime: 5 * time.Second, HeartbeatInterval: 10 * time.Second,
			QueueVisibility: 16 * time.Minute, VisibilityMargin: 30 * time.Second, LookAfter: 10 * time.Second, DeathLimit: 5,
			UnknownFirst: 15 * time.Second, UnknownMax: queue.MaxDelay},
	}
}

// Complete fills in the defaults; the error names each value that is not safe.
func (s *Settings) Complete() error {
	d := DefaultSettings()
	fillIn(reflect.ValueOf(s).Elem(), reflect.ValueOf(d))
	var errs []error
	wrong := func(setting string, value any, problem string) {
		errs = append(errs, &settingError{name: setting, problem: fmt.Sprintf("is %v, %s", value, problem)})
	}
	if s.Cache.Age > d.Cache.Age {
		wrong("Cache.Age", s.Cache.Age, fmt.Sprintf("at most %s is safe", d.Cache.Age))
	}
	if s.Turn.Ahead < 1 || s.Turn.Ahead > d.Turn.Ahead {
		wrong("Turn.Ahead", s.Turn.Ahead, fmt.Sprintf("1 to %d is safe", d.Turn.Ahead))
	}
	if s.Purge.Grace < d.Purge.Grace {
		wrong("Purge.Grace", s.Purge.Grace, fmt.Sprintf("at least %s is safe", d.Purge.Grace))
	}
	if r := s.Purge.Retention; r != 0 && r < s.Purge.Grace {
		wrong("Purge.Retention", r, fmt.Sprintf("at least Settings.Purge.Grace (%s) is safe; 0 keeps instances for ever", s.Purge.Grace))
	}
	if n := s.Purge.Executions; n < 0 || n == 1 {
		wrong("Purge.Executions", n, "at least 2 is safe: the current execution and the one before it; 0 keeps all")
	}
	atMost := fmt.Sprintf("a queue delays %s at most", queue.MaxDelay)
	if s.Loop.Max > queue.MaxDelay {
		wrong("Loop.Max", s.Loop.Max, atMost)
	}
	if s.Dispatch.TimerBorder > queue.MaxDelay {
		wrong("Dispatch.TimerBorder", s.Dispatch.TimerBorder, atMost)
	}
	if s.Dispatch.TimerLeast > queue.MaxDelay {
		wrong("Dispatch.TimerLeast", s.Dispatch.TimerLeast, atMost)
	}
	return errors.Join(errs...)
}

// settingError is a value that is not safe. It has no name outside: internal/settings says
// it in the type that callers know, which this package may not import.
type settingError struct{ name, problem string }

func (e *settingError) Error() string { return "host: Settings." + e.name + " " + e.problem }

// Setting returns the name of the field and what is wrong with it.
func (e *settingError) Setting() (name, problem string) { return e.name, e.problem }

// fillIn gives each field that is zero its default.
func fillIn(set, fallback reflect.Value) {
	for i := range set.NumField() {
		switch f := set.Field(i); {
		case f.Kind() == reflect.Struct:
			fillIn(f, fallback.Field(i))
		case f.IsZero():
			f.Set(fallback.Field(i))
		}
	}
}
