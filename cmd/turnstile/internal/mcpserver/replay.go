package mcpserver

import (
	"context"

	"github.com/turnstile-go/turnstile/history"
)

type replayInput struct {
	Instance  string `json:"instance" jsonschema:"id of the instance"`
	Execution int64  `json:"execution,omitempty" jsonschema:"number of the execution; default the current one"`
	Package   string `json:"package,omitempty" jsonschema:"main package of the project that replays; default ./local"`
}

func (s *server) addReplay() {
	add(s, "replay", "Build the code of the project on this machine and replay the history of an instance with it: whether the instance would go on with this code, at which line it then waits, or at which event history and code disagree. No activity runs and nothing is sent. Ask for it before a change is deployed, and of a stuck instance after its code was changed.",
		look("Replay a history against the code here"), s.replay)
}

func (s *server) replay(ctx context.Context, c *call, in replayInput) (any, error) {
	x, err := export(ctx, c, in.Instance, in.Execution)
	if err != nil {
		return nil, err
	}
	return s.Replay(ctx, in.Package, []history.Export{x})
}
