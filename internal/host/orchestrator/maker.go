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

// maker makes the turns of groups.
type maker struct{ services }

// services has what turns need.
type services struct {
	settler *inbox.Settler
	terms   deciding.Terms
	code    code
	tables  tables
	sender  *dispatch.Sender
	cache   *cache.Cache
	watch   sweep.Watch
	random  *random.Source
	spawn   func(func())
	id      platform.RequestID
}

// code is the code that turns run.
type code struct {
	inline  *activities.Registry
	options engine.Options
	// blocked has the code in which goroutines of this process are blocked.
	blocked blockedCode
}

// tables are the tables that turns read and write. The permissions test (awslambda) follows calls
// by the names Store and Stops.
type tables struct {
	Store  store.Store
	Stops  store.Activities
	codecs *codec.Set
	source *reading.Source
}
