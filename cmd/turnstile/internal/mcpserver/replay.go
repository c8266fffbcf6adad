package mcpserver

import (
	"context"

	"github.com/turnstile-go/turnstile/history"
)

type replayInput struct {
	Instance  string `json:"instance" jsonschema:"id of the instance"`
	Execution int64  `json:"execution,omitempty" jsonschema:"number of the execution; default the current one"`
	Package   string `json:"package,omitempty" jsonschema:"main package of the project; default ./local"`
}

func (s *server) addReplay() {
	add(s, "replay", "Build the project's code on this machine and replay the history of an instance with it. Returns whether the instance could continue with this code, and the line at which it then waits or the event at which history and code disagree. No activity runs and nothing is sent. Use it before you deploy a change, and after you change the code of a stuck instance.",
		look("Replay a history against the project's code"), s.replay)
}

func (s *server) replay(ctx context.Context, c *call, in replayInput) (any, error) {
	x, err := export(ctx, c, in.Instance, in.Execution)
	if err != nil {
		return nil, err
	}
	return s.Replay(ctx, in.Package, []history.Export{x})
}
