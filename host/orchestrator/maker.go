package orchestrator

import (
	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/cache"
	"github.com/turnstile-go/turnstile/host/internal/dispatch"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/host/internal/random"
	"github.com/turnstile-go/turnstile/host/internal/reading"
	"github.com/turnstile-go/turnstile/host/internal/sweep"
	"github.com/turnstile-go/turnstile/keyring"
	"github.com/turnstile-go/turnstile/store"
)

// maker makes turns.
type maker struct {
	*inbox.Desk
	code
	tables
	sender *dispatch.Sender
	cache  *cache.Cache
	sweep.Watch
	random    *random.Source
	Go        func(func())
	RequestID host.RequestID
}

// code is what turns run.
type code struct {
	Orchestrations *engine.Registry
	Inline         *activity.Registry
	engine         engine.Options
	// blocked is the code in which goroutines of this process are blocked.
	blocked blockedCode
}

// tables are what turns read and write.
type tables struct {
	Store  store.Store
	Stops  store.Activities
	Codecs *codec.Set
	Keys   *keyring.Ring
	source *reading.Source
}
