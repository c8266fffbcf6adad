package backend

import (
	"strings"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/keyfile"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/codec"
)

// Settings are the flags that choose the target and the actor of a command.
type Settings struct {
	Stack, Region, Profile string
	KeyFile                string
	// Console is the URL of a console to send requests to.
	Console string
	// Actor is the requester that the history records.
	Actor string
	// Local chooses the program that `turnstile dev` runs.
	Local  bool
	Getenv func(string) string
}

// Codecs returns the codecs for the keys of the command.
func (s *Settings) Codecs() (*codec.Set, error) {
	return keyfile.Codecs(s.KeyFile, s.Getenv)
}

// Words returns the flags that choose the target, quoted for a shell.
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

// Where describes the target for users.
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
