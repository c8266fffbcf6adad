package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/letters"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/pausing"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/internal/supervised"
)

// openPlace is what a command works on: the first of --local and --console, the
// stack that --stack or the environment names, and the `turnstile dev` of this
// folder.
func openPlace(s *settings) backend {
	switch stack := s.stack != "" || s.getenv(address.OrchestratorURL.Variable) != ""; {
	case s.local:
		at, err := devAddress()
		return consoleBackend{at, s.actor, "turnstile dev", err}
	case s.console != "":
		return consoleBackend{s.console, s.actor, "the console", checkURL(s.console)}
	case !stack:
		if at, err := devAddress(); err == nil {
			return consoleBackend{at, s.actor, "turnstile dev", nil}
		}
	}
	return awsBackend{settings: s}
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return usagef("--console %q is not the address of a console, such as http://127.0.0.1:8876/", text)
	}
	return nil
}

// devAddress is the address of the console of the `turnstile dev` that runs the
// project of this folder.
func devAddress() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for here := folder; ; here = filepath.Dir(here) {
		data := filepath.Join(here, devData)
		text, err := os.ReadFile(filepath.Join(data, supervised.ConsoleFile))
		switch {
		case err == nil:
			return strings.TrimSpace(string(text)), checkURL(strings.TrimSpace(string(text)))
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
		if _, err := os.Stat(data); err == nil {
			return "", fmt.Errorf("`turnstile dev` does not run in %s: start it there", here)
		}
		if here == filepath.Dir(here) {
			return "", fmt.Errorf("`turnstile dev` does not run in %s, nor above it: there is no %s", folder, filepath.Join(devData, supervised.ConsoleFile))
		}
	}
}

// consoleBackend is what stands behind a console.
type consoleBackend struct {
	url string
	// actor on whose behalf it is asked to act.
	actor string
	// what it is, for errors.
	what string
	err  error
}

// remotePause is between two looks at what is waited for.
const remotePause = 250 * time.Millisecond

func (b consoleBackend) remote() *remote.Client {
	return remote.New(b.url, b.actor, nil, func(ctx context.Context) bool {
		wait := time.NewTimer(remotePause)
		defer wait.Stop()
		select {
		case <-ctx.Done():
			return false
		case <-wait.C:
			return true
		}
	})
}

// Instances implements backend.
func (b consoleBackend) Instances(context.Context) (instances, error) {
	return ofConsole{b.remote()}, b.err
}

// Client implements backend.
func (b consoleBackend) Client(context.Context) (*client.Client, error) {
	return nil, errors.Join(b.err, fmt.Errorf("%s has a console already: %s", b.what, b.url))
}

// Letters implements backend.
func (b consoleBackend) Letters(context.Context, time.Duration) (letters.Letters, error) {
	return letters.OfConsole{Client: b.remote()}, b.err
}

// Stack implements backend.
func (b consoleBackend) Stack(context.Context) (pausing.Stack, error) {
	return nil, errors.Join(b.err, errNoStackHere(b.what))
}

// Console implements backend.
func (b consoleBackend) Console(ctx context.Context, _ time.Duration) ([]console.Option, error) {
	_, err := b.Client(ctx)
	return nil, err
}

// ofConsole is a console as commands use it.
type ofConsole struct{ *remote.Client }

func (c ofConsole) Fail(ctx context.Context, token string, f failure) error {
	return c.Client.Fail(ctx, token, f.message, f.code, f.details)
}

// Start checks the name first, so that it is an error of the command line here too.
func (c ofConsole) Start(ctx context.Context, r client.StartRequest) (client.Started, error) {
	if r.Name == "" {
		return client.Started{}, &turnstile.InvalidArgumentError{Argument: "orchestration name", Problem: "it is empty"}
	}
	return c.Client.Start(ctx, r)
}
