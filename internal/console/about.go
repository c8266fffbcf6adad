package console

import (
	"runtime"
	"runtime/debug"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

func (h *handler) about(*request) (api.About, error) {
	_, knowsAges := h.queues.(QueueAger)
	_, pauses := h.queues.(QueuePauser)
	return api.About{
		Now: h.now().UTC(), Build: BuildOf(), Place: h.place, Actions: h.actions,
		Capabilities: api.Capabilities{DeadLetters: h.dead != nil, Queues: h.queues != nil, QueueAges: knowsAges, QueuePause: pauses, Live: h.liveBy(), Catalog: h.catalog != nil, Code: h.client.App() != nil, Queries: h.client.CanQuery(), CompleteByRow: h.tokens != nil, Logs: h.logs != nil, FreeLooks: h.place.OneMachine() && h.place.Kind != "local stack"},
		Limits: api.Limits{
			PayloadBytes: turnstile.MaxPayload, FoldedOverBytes: api.FoldOver,
			PageSize: maxPage, EventsPage: maxEvents, RequestBytes: maxRequest, LivePages: livePages, ImportBytes: maxImport,
		},
		Cost: h.watcher.cost(), Links: h.links, Acts: acts.Forms(),
	}, nil
}

// module of Turnstile.
const module = "github.com/turnstile-go/turnstile"

// BuildOf returns what this program was built from.
func BuildOf() api.Build {
	b := api.Build{Version: "(unknown)", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Path == module {
		b.Version = info.Main.Version
	}
	for _, m := range info.Deps {
		if m.Path == module {
			b.Version = m.Version
		}
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}
