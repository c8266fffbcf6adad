package kept

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// Format is the format of the program files that this package writes, and the newest that it reads.
const Format = 1

// Program is an orchestration as a tree of statements. It returns a transcript of the results of its statements.
type Program struct {
	Name string `json:"name"`
	// Versions are the versions that it is registered in, oldest first; none for a program without versions. Each
	// version records itself in its transcript and in the input of its activities. Next is the version with which it
	// continues as new.
	Versions []string `json:"versions,omitempty"`
	Next     string   `json:"next,omitempty"`
	// Rounds is the number of its executions, each continued as new from the previous one.
	Rounds int `json:"rounds"`
	// Fails is set if it returns an error at the end. Catches is set if, when cancelled, it cleans up and returns
	// its transcript instead of the cancelled error.
	Fails   bool         `json:"fails,omitempty"`
	Catches bool         `json:"catches,omitempty"`
	Strict  bool         `json:"strict,omitempty"`
	Body    []*Statement `json:"body"`
}

// Statement is one statement of a program.
type Statement struct {
	// Do is the word for what the statement does (statement.go).
	Do string `json:"do"`
	ID int    `json:"id"`
	// N is a count, the number of an event, or the index of a program in the run, from 0.
	N int `json:"n,omitempty"`
	// MS is the duration of its timer.
	MS int64 `json:"ms,omitempty"`
	// Fails is how often its activity fails, Attempts how many attempts the activity has.
	Fails    int            `json:"fails,omitempty"`
	Attempts int            `json:"attempts,omitempty"`
	Version  string         `json:"version,omitempty"` // of the child
	Branches [][]*Statement `json:"branches,omitempty"`
}

// Programs are the programs of one run; a child or a detached orchestration is one of them.
type Programs []*Program

// check returns an error if this package cannot run the programs.
func (ps Programs) check() error {
	var block func(p *Program, b []*Statement) error
	block = func(p *Program, b []*Statement) error {
		for _, s := range b {
			if word(s.Do) == nil {
				return fmt.Errorf("statement %d of program %s: unknown word %q", s.ID, p.Name, s.Do)
			}
			for _, branch := range s.Branches {
				if err := block(p, branch); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, p := range ps {
		if err := block(p, p.Body); err != nil {
			return err
		}
	}
	return nil
}

// Registry returns all versions of the programs, and the orchestrations that they interact with (companion.go).
func (ps Programs) Registry() (*engine.Registry, error) {
	if err := ps.check(); err != nil {
		return nil, err
	}
	var all []engine.Orchestration
	for _, p := range ps {
		versions := p.Versions
		if versions == nil {
			versions = []string{""}
		}
		for _, v := range versions {
			all = append(all, engine.Orchestration{Name: p.Name, Version: v, Func: ps.code(p, v), Source: "kept program " + p.Name, Strict: p.Strict})
		}
	}
	return engine.NewRegistry(append(all, companions()...)...)
}
