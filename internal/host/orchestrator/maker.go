package orchestrator

import (
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/cache"
	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/random"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/internal/host/sweep"
	"github.com/turnstile-go/turnstile/store"
)

// maker makes turns.
type maker struct {
	desk   *inbox.Desk
	terms  deciding.Terms
	code   code
	tables tables
	sender *dispatch.Sender
	cache  *cache.Cache
	watch  sweep.Watch
	random *random.Source
	spawn  func(func())
	id     platform.RequestID
}

// code is what turns run.
type code struct {
	inline  *activities.Registry
	options engine.Options
	// blocked is the code in which goroutines of this process are blocked.
	blocked blockedCode
}

// tables are what turns read and write. The names Store and Stops are those by
// which the test of the permissions (awslambda) follows their calls.
type tables struct {
	Store  store.Store
	Stops  store.Activities
	codecs *codec.Set
	source *reading.Source
}
