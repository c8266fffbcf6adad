package ledger

import (
	"github.com/turnstile-go/turnstile/store"
)

// Outside records the effects of processes on timers and activities.
type Outside struct {
	Stopped            map[store.ActivityKey]bool
	Reasons            map[store.ActivityKey]string // of those stops, the first of each
	Scheduled, Removed map[string]bool
	// Notified are the children to which their parents' cancel or terminate was sent.
	Notified map[string]bool
	// Closed are the child positions of parents that have sent one.
	Closed map[Child]bool
	// Claims of attempts, the last of each activity; Begun counts the starts of each attempt that
	// runs at most once.
	Claims map[store.ActivityKey]store.Claim
	// Barred is the step from which on a message of an attempt must not start it, because an
	// operator started the attempt early.
	Barred  map[Barred]int
	Started map[Attempt]int
	// Deaths counts the processes that died while they handled a message of an activity.
	Deaths map[store.ActivityKey]int
	// Handed are activities whose token a client has.
	Handed map[store.ActivityKey]bool
	// Purged is the last execution of the instance that each purge has hidden.
	Purged map[Purge]int64
}

func newOutside() Outside {
	return Outside{Stopped: map[store.ActivityKey]bool{}, Reasons: map[store.ActivityKey]string{}, Scheduled: map[string]bool{}, Removed: map[string]bool{}, Notified: map[string]bool{}, Closed: map[Child]bool{},
		Deaths: map[store.ActivityKey]int{},
		Claims: map[store.ActivityKey]store.Claim{}, Barred: map[Barred]int{}, Started: map[Attempt]int{}, Handed: map[store.ActivityKey]bool{},
		Purged: map[Purge]int64{}}
}

// Barred identifies the message of an attempt by its due time, in Unix milliseconds: two attempts
// of an activity may both be due when the time limit for all of them ends.
type Barred struct {
	store.ActivityKey
	Attempt int
	DueMS   int64
}

// Attempt is one attempt of an activity.
type Attempt struct {
	store.ActivityKey
	Number int
}

// Child identifies a child by its position in its parent.
type Child struct {
	Parent             string
	Execution, EventID int64
}

// Purge is a requested purge.
type Purge struct{ Instance, ID string }

// ByInstance holds the values of an invocation by instance. There is mostly one instance, which
// is found sooner in a list than in a map.
type ByInstance[V any] []struct {
	Instance string
	Value    V
}

func (f ByInstance[V]) Of(instance string) (v V) {
	for i := range f {
		if f[i].Instance == instance {
			return f[i].Value
		}
	}
	return v
}

func (f *ByInstance[V]) Set(instance string, v V) {
	for i := range *f {
		if (*f)[i].Instance == instance {
			(*f)[i].Value = v
			return
		}
	}
	*f = append(*f, struct {
		Instance string
		Value    V
	}{instance, v})
}
