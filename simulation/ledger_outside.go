package simulation

import (
	"github.com/turnstile-go/turnstile/store"
)

// outside is what the processes did to timers and activities.
type outside struct {
	stopped            map[store.ActivityKey]bool
	scheduled, removed map[string]bool
	// told are the children that their parents' cancel or terminate was sent to.
	told map[string]bool
	// closed are the places of parents that have sent one.
	closed map[family]bool
	// claims of attempts, the last of each activity; begun is how often an
	// attempt was that runs at most once.
	claims map[store.ActivityKey]store.Claim
	begun  map[attemptKey]int
	// deaths is how many processes died with a message of an activity in hand.
	deaths map[store.ActivityKey]int
	// handed are activities of which a client has the token.
	handed map[store.ActivityKey]bool
	// runs of inline activities that had a result.
	runs int
	// purged is the last execution of the instance that each purge has hidden.
	purged map[purgeKey]int64
	// older: code from before a change in place ran first.
	older bool
}

func newOutside() outside {
	return outside{stopped: map[store.ActivityKey]bool{}, scheduled: map[string]bool{}, removed: map[string]bool{}, told: map[string]bool{}, closed: map[family]bool{},
		deaths: map[store.ActivityKey]int{},
		claims: map[store.ActivityKey]store.Claim{}, begun: map[attemptKey]int{}, handed: map[store.ActivityKey]bool{},
		purged: map[purgeKey]int64{}}
}

// attemptKey is one attempt of an activity.
type attemptKey struct {
	store.ActivityKey
	attempt int
}

// family names a child by what it is to its parent.
type family struct {
	parent             string
	execution, eventID int64
}

// purgeKey is a purge that somebody has asked for.
type purgeKey struct{ instance, id string }

// perInstance are values by instance, of an invocation: mostly of one, which is found
// sooner in a list than in a map.
type perInstance[V any] []struct {
	instance string
	value    V
}

func (f perInstance[V]) of(instance string) (v V) {
	for i := range f {
		if f[i].instance == instance {
			return f[i].value
		}
	}
	return v
}

func (f *perInstance[V]) set(instance string, v V) {
	for i := range *f {
		if (*f)[i].instance == instance {
			(*f)[i].value = v
			return
		}
	}
	*f = append(*f, struct {
		instance string
		value    V
	}{instance, v})
}
