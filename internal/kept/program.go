package kept

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// Format of the program files that this package writes, and the newest that it
// reads.
const Format = 1

// Program is an orchestration as a tree of statements. It returns a transcript
// of what each statement gave.
type Program struct {
	Name string `json:"name"`
	// Versions that it is registered in, oldest first; none for one without a
	// name. Each says who it is in its transcript and in the input of its
	// activities. Next is the version that it continues as new with.
	Versions []string `json:"versions,omitempty"`
	Next     string   `json:"next,omitempty"`
	// Rounds are how many executions it has, continuing as new.
	Rounds int `json:"rounds"`
	// Fails: it returns an error in the end. Catches: cancelled, it cleans up
	// and returns what it has; else it returns the cancelled error.
	Fails   bool         `json:"fails,omitempty"`
	Catches bool         `json:"catches,omitempty"`
	Strict  bool         `json:"strict,omitempty"`
	Body    []*Statement `json:"body"`
}

// Statement is one statement of a program.
type Statement struct {
	// Do is the word for what it does (statement.go).
	Do string `json:"do"`
	ID int    `json:"id"`
	// N is how many, which event, or which program of the run, from 0.
	N int `json:"n,omitempty"`
	// MS is the duration of its timer.
	MS int64 `json:"ms,omitempty"`
	// Fails and Attempts: its activity fails that many times, and has that many
	// attempts.
	Fails    int            `json:"fails,omitempty"`
	Attempts int            `json:"attempts,omitempty"`
	Version  string         `json:"version,omitempty"` // of the child
	Branches [][]*Statement `json:"branches,omitempty"`
}

// Programs of one run; a child or a detached orchestration is one of them.
type Programs []*Program

// check returns an error if this package cannot run the programs.
func (ps Programs) check() error {
	var block func(p *Program, b []*Statement) error
	block = func(p *Program, b []*Statement) error {
		for _, s := range b {
			if word(s.Do) == nil {
				return fmt.Errorf("statement %d of program %s: %q is no word that this build knows", s.ID, p.Name, s.Do)
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

// Registry returns the programs in all their versions, with the orchestrations
// that they have to do with (companion.go).
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
