package backend

import (
	"strings"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/keyfile"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/codec"
)

// Settings are the flags that say what a command works on, and for whom.
type Settings struct {
	Stack, Region, Profile string
	KeyFile                string
	// Console is the URL of one that acts for the command.
	Console string
	// Actor on whose behalf a command acts.
	Actor string
	// Local is the program that `turnstile dev` runs.
	Local  bool
	Getenv func(string) string
}

// Codecs are those of the keys that the command was given.
func (s *Settings) Codecs() (*codec.Set, error) {
	return keyfile.Codecs(s.KeyFile, s.Getenv)
}

// Words are the flags that say where the stack is, as they can be pasted into a
// shell.
func (s *Settings) Words() string {
	var b strings.Builder
	add := func(flag, value string) {
		if value != "" {
			b.WriteString(" --" + flag + " " + plain.ShellWord(value))
		}
	}
	if s.Local {
		b.WriteString(" --local")
	}
	add("console", s.Console)
	add("stack", s.Stack)
	add("region", s.Region)
	add("profile", s.Profile)
	add("key-file", s.KeyFile)
	return b.String()
}

// Where is the place that the settings name, for people.
func (s *Settings) Where() string {
	switch {
	case s.Local:
		return "the turnstile dev of this folder"
	case s.Console != "":
		return "the console at " + s.Console
	case s.Stack != "":
		place := "stack " + s.Stack
		if s.Region != "" {
			place += " in " + s.Region
		}
		return place
	case s.Getenv != nil && s.Getenv(address.OrchestratorURL.Variable) != "":
		return "the stack of " + s.Getenv(address.OrchestratorURL.Variable)
	}
	return "the turnstile dev of this folder"
}
