package host

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// Settings configure and limit the handlers. The zero value of a field means its default. If a limit
// can be turned off, its comment says how.
type Settings struct {
	// Parallelism is the number of groups of a batch, or of attempts in a batch of activities, that
	// run at the same time. Default 10. With 1 they run one after another in the order of the
	// batch, on the caller's goroutine.
	Parallelism int
	// SendWindow is how long a message waits for other messages of its invocation to the same
	// queue, so that they share a call. A message waits only while another group or attempt of the
	// invocation may still send. The result of a quick attempt in a batch with slower attempts may
	// therefore be sent later by SendWindow. Default 20 milliseconds; negative: no calls are
	// shared.
	SendWindow time.Duration
	// SuspectReceives is the receive count of a message at which its turn or attempt is noted in the
	// table before it runs, so that a poison message, which kills its process, is detected. Default 4;
	// negative: never.
	SuspectReceives int
	// LogPayloads is whether log lines may quote payloads: the text of a panic, and the first 120
	// bytes of inputs that differ from the recorded ones. Otherwise the lines only say where to
	// find the payloads. The setting does not affect lines that your code logs. With a codec no
	// payload is quoted.
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

// TurnSettings limit turns.
type TurnSettings struct {
	// MinRemaining is how much of the invocation must be left to start a turn. Default 10 seconds.
	MinRemaining time.Duration
	// InlineTime is how much of the invocation must be left to start an inline activity; otherwise the
	// turn continues in another invocation. Default 15 seconds.
	InlineTime time.Duration
	// CommitAttempts is the maximum number of attempts at an identical commit whose outcome is
	// unknown or that is throttled. A throttled commit with results of inline activities is
	// repeated as long as time remains. Default 3.
	CommitAttempts int
	// Executions is the maximum number of executions of an instance that one invocation runs one
	// after another (continue-as-new) before it sends a wake. Default 20.
	Executions int
	// BlockLimit is how long orchestration code may block outside durable operations. Blocking is
	// detected within twice this time. Default 10 seconds; negative: blocking is not detected, and the
	// code runs on the caller's goroutine.
	BlockLimit time.Duration
	// Part is how many bytes of history one write contains when a redrive or a fork copies more
	// history than fits into its commit. Default and upper bound 245,760.
	Part int
	// FailWhenStuck is whether an instance fails instead of being stuck.
	FailWhenStuck bool
	// WakeFirst and WakeMax are the first and the longest delay after which a sweep lets a stuck
	// instance try again; the delay doubles with each try. Defaults 1 minute and 1 hour.
	WakeFirst, WakeMax time.Duration
}

// DispatchSettings limits the dispatch, in which a turn sends the messages, timers and stop requests
// of its commits.
type DispatchSettings struct {
	// Parallelism is how many calls the dispatch of one turn makes at the same time: requests to
	// stop, schedules created and deleted, batches of messages. Default 32. Each of the turns that
	// run at the same time (Settings.Parallelism) may make that many calls. With 1 they are made
	// one after another, on the caller's goroutine. EventBridge Scheduler accepts 250 to 5,000 new
	// schedules a second, depending on the region; a call that it throttles is repeated with
	// growing pauses.
	Parallelism int
	// MinRemaining is how much of the invocation must be left to make another call. Twice as much must
	// be left to start another step, which has ten messages for each of the concurrent calls. When half
	// of it is left, calls in progress are abandoned. The rest is sent when the turn's messages are
	// redelivered. Default 5 seconds.
	MinRemaining time.Duration
	// TimerBorder is the longest wait for which a timer uses the delay queue instead of the timer
	// service. Default and upper bound 15 minutes; negative: timers never use the delay queue for
	// this reason. TimerLeast is the wait below which every timer uses the delay queue, because a
	// timer service refuses times in the past. Default 2 minutes.
	TimerBorder, TimerLeast time.Duration
}

// MessageSettings set when, and for how long, messages are delivered again.
type MessageSettings struct {
	// BackoffFirst and BackoffMax are the first and the longest delay after which a returned
	// message is delivered again; the delay doubles with each receive. Defaults 1 second and 15
	// minutes. After an outage a message then arrives within about the time that the outage lasted,
	// and the queue's limit of 1,000 receives is reached after ten days. If the function itself
	// does not start, the limit is reached after 33 hours, because then only QueueVisibility delays
	// the message.
	BackoffFirst, BackoffMax time.Duration
	// QueueVisibility is how long the orchestrator, delay and activity dead-letter queues hide a
	// message that was received. It must match the configuration of the queues. Default 2 minutes.
	QueueVisibility time.Duration
	// RequeueAfterReceives is the receive count at which a message of the orchestrator queue is sent
	// through the delay queue as a new message, which counts as redriven. It must be below the queue's
	// maxReceiveCount (1,000), at which SQS would move the message to the dead letters, perhaps between
	// a commit and its dispatch. Default 900; negative: never.
	RequeueAfterReceives int
	// ReleaseTime is how long a finished FIFO group waits for the other groups of its batch, whose
	// messages Lambda deletes together. After that the process deletes the group's messages itself, so
	// that SQS can deliver the next ones. Default 10 seconds; negative: the group waits until the
	// invocation returns.
	ReleaseTime time.Duration
	// EarlyWindow is how long an event waits in the delay queue for an instance that has not started.
	// Default 15 minutes. EarlyFirst and EarlyMax are the first and the longest delay. Defaults 2
	// seconds and 2 minutes.
	EarlyWindow, EarlyFirst, EarlyMax time.Duration
	// PatchWindow applies to an instance whose history has a patch of another build. It is how long
	// the messages of the instance wait in the delay queue for a process of that build; after that
	// time, the instance is stuck. Default 15 minutes; negative: the instance is stuck immediately.
	// EarlyFirst and EarlyMax are the delays.
	PatchWindow time.Duration
	// NewerFirst and NewerMax are the first and the longest delay of a message whose instance has
	// events that only a newer build knows. Defaults 1 and 15 minutes.
	NewerFirst, NewerMax time.Duration
}

// LimitSettings limit code and histories.
type LimitSettings struct {
	// Operations is the maximum number of operations that the code may schedule in response to one
	// message, and Coroutines the maximum number of branches of an execution. 0 means 10,000 for
	// each.
	Operations, Coroutines int
	// Events is the maximum number of events of an execution. After that, the next message fails
	// the instance (forced: limit) and asks its open activities and children to stop. A warning is
	// logged at four fifths of the limit. Default 50,000; negative: no limit.
	Events int
	// Bytes is the maximum size of the events of an execution: their payloads, plus 300 bytes for each
	// event. A cold turn reads all of them. Default 50,000,000; negative: no limit.
	Bytes int
	// Result is the longest result of an activity, in bytes. Default 262,144.
	Result int
}

// CacheSettings limit the cache of recent instances.
type CacheSettings struct {
	// Bytes is the maximum memory of the cached instances: histories, operations, stacks. An instance
	// of a dozen events takes 15 KB, one of 200 events with payloads of 200 bytes 140 KB. Default 128
	// MiB; on Lambda a quarter of the function's memory. If the cache is full, a random instance is
	// evicted, and its next turn reads its history.
	Bytes int
	// Coroutines is the maximum number of waiting branches in the cache; an instance has at least
	// one. Default 10,000.
	Coroutines int
	// Instances is the maximum number of instances in the cache. 0 means no such limit; negative:
	// no cache.
	Instances int
	// Age is how long a cached instance may be used after its last read or commit without being read
	// again. Default and upper bound 10 minutes, because the grace period of a purge depends on it.
	Age time.Duration
}

// LoopSettings limit loops without a pause: instances that send messages to themselves or to each
// other, or continue as new, without a timer or the result of a queued activity in between.
type LoopSettings struct {
	// Depth is the maximum number of turns in a row that may each cause the next without a pause. A
	// pause is a timer that waits, a message from outside, or an execution with queued activities
	// that takes a second. A message beyond Depth waits in the delay queue before it is delivered.
	// It is counted in CountLooping, and noted in the record of the instance that sends it. Default
	// 1,000; negative: no limit.
	Depth int
	// First is how long the first message beyond Depth waits; each further turn doubles the wait, up to
	// Max. Defaults 1 second and 15 minutes, which is also the upper bound of both.
	First, Max time.Duration
	// Fail is whether the instance that would exceed Depth fails (forced: limit) instead of being
	// delayed.
	Fail bool
}

// Beyond reports whether depth exceeds the limit.
func (s *LoopSettings) Beyond(depth int) bool { return s.Depth >= 0 && depth > s.Depth }

// PurgeSettings set when and how histories are deleted.
type PurgeSettings struct {
	// Grace is how long a purged history is kept after the end of its instance. Default and lower bound
	// 1 hour: longer than cache age, function timeout and clock skew together.
	Grace time.Duration
	// Page is the maximum number of stored items that one call deletes. Default 500.
	Page int
	// Retention is how long an instance is kept after its end before it is purged, if its orchestration
	// does not set it (turnstile.Retention). 0 means for ever. At least Grace.
	Retention time.Duration
	// Executions is how many executions of an instance are kept, if its orchestration does not set it
	// (turnstile.KeepExecutions). 0 means all. At least 2.
	Executions int
}

// AttemptSettings limit attempts of activities.
type AttemptSettings struct {
	// Timeout is the time limit of an attempt whose activity has no AttemptTimeout. Default 5 minutes.
	Timeout time.Duration
	// MinRemaining is how much of the invocation must be left to start an attempt. Default 10 seconds.
	MinRemaining time.Duration
	// ExitTime is how long before the invocation's end the context of an activity ends. Default 5
	// seconds.
	ExitTime time.Duration
	// HeartbeatInterval is the shortest time between two recorded heartbeats of an attempt, or a third
	// of its heartbeat timeout if that is shorter. Default 10 seconds.
	HeartbeatInterval time.Duration
	// QueueVisibility is how long the activity queue, by its own configuration, hides a message
	// that was received. It must match the configuration of the queue. The message of an attempt
	// without its own time limit stays hidden for that long, and is then redelivered if the process
	// has died. Default 16 minutes.
	QueueVisibility time.Duration
	// VisibilityMargin is added to the time limit of an attempt when its message is hidden from other
	// receivers. Default 30 seconds.
	VisibilityMargin time.Duration
	// CancelCheckAfter is the time since scheduling from which a first attempt checks, before it
	// runs, whether its activity was asked to stop. An attempt that starts earlier, as most do,
	// learns of the request from its first heartbeat. All later attempts check. Default 10 seconds;
	// negative: every attempt checks.
	CancelCheckAfter time.Duration
	// MaxCrashes is the number of processes in a row that must die in an attempt before its
	// activity fails as lost. It counts from the receive of the message at which
	// Settings.SuspectReceives applies. Default 5.
	MaxCrashes int
	// UnknownFirst and UnknownMax are the first and the longest delay of an attempt whose activity
	// is not registered; the attempt waits until a build that has the activity is deployed.
	// Defaults 15 seconds and 15 minutes.
	UnknownFirst, UnknownMax time.Duration
}

// DefaultSettings returns the documented defaults.
func DefaultSettings() Settings {
	return Settings{
		Parallelism: 10, SendWindow: 20 * time.Millisecond, SuspectReceives: 4,
		Turn: TurnSettings{MinRemaining: 10 * time.Second, InlineTime: 15 * time.Second, CommitAttempts: 3, Executions: 20,
			BlockLimit: 10 * time.Second, Part: 240 << 10, WakeFirst: time.Minute, WakeMax: time.Hour},
		Dispatch: DispatchSettings{Parallelism: 32, MinRemaining: 5 * time.Second, TimerBorder: queue.MaxDelay, TimerLeast: 2 * time.Minute},
		Messages: MessageSettings{BackoffFirst: time.Second, BackoffMax: 15 * time.Minute, QueueVisibility: 2 * time.Minute, RequeueAfterReceives: 900, ReleaseTime: 10 * time.Second,
			EarlyWindow: 15 * time.Minute, EarlyFirst: 2 * time.Second, EarlyMax: 2 * time.Minute, PatchWindow: 15 * time.Minute,
			NewerFirst: time.Minute, NewerMax: queue.MaxDelay},
		Limits: LimitSettings{Events: 50_000, Bytes: 50_000_000, Result: 256 << 10},
		Cache:  CacheSettings{Bytes: 128 << 20, Coroutines: 10_000, Age: 10 * time.Minute},
		Purge:  PurgeSettings{Grace: time.Hour, Page: 500},
		Loop:   LoopSettings{Depth: 1000, First: time.Second, Max: queue.MaxDelay},
		Attempt: AttemptSettings{Timeout: 5 * time.Minute, MinRemaining: 10 * time.Second, ExitTime: 5 * time.Second, HeartbeatInterval: 10 * time.Second,
			QueueVisibility: 16 * time.Minute, VisibilityMargin: 30 * time.Second, CancelCheckAfter: 10 * time.Second, MaxCrashes: 5,
			UnknownFirst: 15 * time.Second, UnknownMax: queue.MaxDelay},
	}
}

// Complete fills in the defaults. The error lists each value that is not safe.
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
	if s.Turn.Part < 1 || s.Turn.Part > d.Turn.Part {
		wrong("Turn.Part", s.Turn.Part, fmt.Sprintf("1 to %d is safe", d.Turn.Part))
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

// settingError reports a value that is not safe. It is unexported: internal/settings converts it to the
// exported type, which this package may not import.
type settingError struct{ name, problem string }

func (e *settingError) Error() string { return "host: Settings." + e.name + " " + e.problem }

// Setting returns the name of the field and what is wrong with it.
func (e *settingError) Setting() (name, problem string) { return e.name, e.problem }

// fillIn sets each zero field to its default.
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
