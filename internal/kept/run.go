package kept

import (
	"encoding/json"
	"fmt"
	"path"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// Run is a set of programs and their histories: the content of a program.json and of the exports in its folder.
type Run struct {
	// Format is the format of the file.
	Format int `json:"format"`
	// From describes where the run comes from.
	From string `json:"from"`
	// Name is the name of the run and of its folder.
	Name       string       `json:"-"`
	Programs   Programs     `json:"programs"`
	Executions []*Execution `json:"executions"`
}

// Execution is one execution of the run.
type Execution struct {
	// File is the export document in the same folder that holds its history.
	File        string `json:"file"`
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	// Values that exports of builds before keyrings omit: the secret with which tokens were made, and the token for the
	// parent. Token is the token of event TokenOf, which its completion returned; TokenOf is 0 if there is no such
	// completion.
	Secret      string `json:"secret,omitempty"`
	ParentToken string `json:"parent_token,omitempty"`
	TokenOf     int64  `json:"token_of,omitempty"`
	Token       string `json:"token,omitempty"`
	// Parked are the first events of turns that ended with incoming events which were recorded without running the code.
	Parked []int64 `json:"parked,omitempty"`
	// CustomStatus is the value of the state "status" after a replay, and Search are the search attributes.
	CustomStatus string                   `json:"custom_status,omitempty"`
	Search       history.SearchAttributes `json:"search_attributes,omitempty"`

	// Events are the events of its history, with the secret and the parent's token.
	Events []history.Event `json:"-"`
}

// files returns the files of the run by name: program.json and the exports. It fills in the fields of each execution.
func (r *Run) files() (map[string][]byte, error) {
	r.Format = Format
	registry, err := r.Programs.Registry()
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for i, x := range r.Executions {
		x.File = fmt.Sprintf("execution-%02d.json", i+1)
		start := x.Events[0].Start
		x.Secret = start.Secret
		if start.Parent != nil {
			x.ParentToken = start.Parent.Token
		}
		turn, err := x.replay(registry)
		if err != nil {
			return nil, fmt.Errorf("%s: %s of %q execution %d: %w", r.Name, x.File, x.Instance, x.ExecutionID, err)
		}
		x.CustomStatus, x.Search = status(&turn), turn.Search
		all[path.Join(r.Name, x.File)] = history.EncodeExport(history.Export{Instance: x.Instance, ExecutionID: x.ExecutionID, Events: x.Events})
	}
	program, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return nil, err
	}
	all[path.Join(r.Name, "program.json")] = append(program, '\n')
	return all, nil
}

// readRun reads a run from its files.
func readRun(name string, files map[string][]byte) (*Run, error) {
	r := &Run{Name: name}
	if err := json.Unmarshal(files["program.json"], r); err != nil {
		return nil, fmt.Errorf("%s/program.json: %w", name, err)
	}
	if r.Format > Format {
		return nil, fmt.Errorf("%s/program.json has format %d, but this build reads up to %d", name, r.Format, Format)
	}
	for _, x := range r.Executions {
		export, err := history.DecodeExport(files[x.File])
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", name, x.File, err)
		}
		if export.Instance != x.Instance || export.ExecutionID != x.ExecutionID || len(export.Events) == 0 {
			return nil, fmt.Errorf("%s/%s has %d events of %q execution %d, but program.json says %q execution %d",
				name, x.File, len(export.Events), export.Instance, export.ExecutionID, x.Instance, x.ExecutionID)
		}
		x.Events = export.Events
		start := x.Events[0].Start
		start.Secret = x.Secret
		if start.Parent != nil {
			start.Parent.Token = x.ParentToken
		}
	}
	return r, nil
}

// Replay returns nil if the current code, given the execution's history, does exactly what the history contains.
func (x *Execution) Replay(registry *engine.Registry) error {
	turn, err := x.replay(registry)
	switch {
	case err != nil:
		return err
	case status(&turn) != x.CustomStatus:
		return fmt.Errorf("replay leaves the status %s, want %s", status(&turn), x.CustomStatus)
	case turn.Search.String() != x.Search.String():
		return fmt.Errorf("replay leaves the search attributes %s, want %s", turn.Search, x.Search)
	}
	return x.takesToken(registry)
}

func (x *Execution) replay(registry *engine.Registry) (engine.Turn, error) {
	e := engine.New(engine.Config{Instance: x.Instance, ExecutionID: x.ExecutionID, Registry: registry})
	defer e.Close()
	if err := e.Feed(x.Events, false); err != nil {
		return engine.Turn{}, err
	}
	last := &x.Events[len(x.Events)-1]
	turn, err := e.Run(engine.Input{NowMS: last.AtMS})
	switch {
	case err != nil:
		return turn, err
	case turn.Stuck != nil:
		return turn, turn.Stuck
	case len(turn.Events) > 0:
		return turn, fmt.Errorf("after the last event %d the code continues with %s", last.EventID, turn.Events[0].Kind)
	case (turn.State == engine.Ended) != last.Kind.Terminal():
		return turn, fmt.Errorf("after %s at event %d the state is %d", last.Kind, last.EventID, turn.State)
	}
	return turn, nil
}

func status(t *engine.Turn) string {
	return string(history.StateNamed(t.States, history.ListedState))
}

// takesToken replays the history up to the completion that returned Token, and checks that the completion is accepted if
// it is proven, and rejected as forged if it is not.
func (x *Execution) takesToken(registry *engine.Registry) error {
	if x.TokenOf == 0 {
		return nil
	}
	var completion history.Event
	for _, e := range x.Events {
		if e.SourceEventID == x.TokenOf {
			completion = e
		}
	}
	before := x.Events[:completion.EventID-1]
	for _, c := range []struct {
		proven bool
		want   engine.VerdictKind
	}{{true, engine.Recorded}, {false, engine.Forged}} {
		e := engine.New(engine.Config{Instance: x.Instance, ExecutionID: x.ExecutionID, Registry: registry})
		err := e.Feed(before, true)
		if err != nil {
			return err
		}
		// Park the completion, so that the result depends only on the verdict.
		turn, err := e.Run(engine.Input{NowMS: completion.AtMS, Park: true,
			Arrivals: []engine.Arrival{{Event: completion, ExecutionID: x.ExecutionID, Proven: c.proven}}})
		e.Close()
		if err != nil {
			return err
		}
		if got := turn.Verdicts[0].Kind; got != c.want {
			return fmt.Errorf("event %d, which completes event %d, is %s with a proven token: %t; want %s", completion.EventID, x.TokenOf, got, c.proven, c.want)
		}
	}
	return nil
}
