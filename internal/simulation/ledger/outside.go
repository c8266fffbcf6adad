package ledger

import (
	"github.com/turnstile-go/turnstile/store"
)

// Outside is what the processes did to timers and activities.
type Outside struct {
	Stopped            map[store.ActivityKey]bool
	Reasons            map[store.ActivityKey]string // of those stops, the first of each
	Scheduled, Removed map[string]bool
	// Told are the children that their parents' cancel or terminate was sent to.
	Told map[string]bool
	// Closed are the places of parents that have sent one.
	Closed map[Child]bool
	// Claims of attempts, the last of each activity; begun is how often an
	// attempt was that runs at most once.
	Claims map[store.ActivityKey]store.Claim
	// Barred is the step from which on a message of an attempt is left out, because an operator
	// had the attempt made before it was due.
	Barred map[Barred]int
	Begun  map[Attempt]int
	// Deaths is how many processes died with a message of an activity in hand.
	Deaths map[store.ActivityKey]int
	// Handed are activities of which a client has the token.
	Handed map[store.ActivityKey]bool
	// Purged is the last execution of the instance that each purge has hidden.
	Purged map[Purge]int64
}

func newOutside() Outside {
	return Outside{Stopped: map[store.ActivityKey]bool{}, Reasons: map[store.ActivityKey]string{}, Scheduled: map[string]bool{}, Removed: map[string]bool{}, Told: map[string]bool{}, Closed: map[Child]bool{},
		Deaths: map[store.ActivityKey]int{},
		Claims: map[store.ActivityKey]store.Claim{}, Barred: map[Barred]int{}, Begun: map[Attempt]int{}, Handed: map[store.ActivityKey]bool{},
		Purged: map[Purge]int64{}}
}

// Barred names the message of an attempt by when it is due, in Unix milliseconds: two attempts of
// an activity may both be due when the time for all of them is over.
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

// Child names a child by what it is to its parent.
type Child struct {
	Parent             string
	Execution, EventID int64
}

// Purge is a purge that somebody has asked for.
type Purge struct{ Instance, ID string }

// ByInstance are values by instance, of an invocation: mostly of one, which is found
// sooner in a list than in a map.
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
