package main

import (
	"context"
	"errors"
	"slices"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/usage"
)

// Exit statuses. docs/cli.md lists them.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitBadEnd      = 4
	exitTimeout     = 5
	exitInterrupted = 130
)

// exitMeanings are the exit statuses in words, in order.
var exitMeanings = []struct {
	status  int
	meaning string
}{
	{exitOK, "it did what it was asked"},
	{exitFailed, "it failed; the message on standard error says how"},
	{exitUsage, "usage error: the command line is wrong; nothing was done"},
	{exitNotFound, "there is no such instance, execution or dead letter"},
	{exitBadEnd, "the instance that was waited for ended otherwise than completed (wait, watch, start --wait)"},
	{exitTimeout, "it had not ended when --timeout was over (wait, watch, start --wait)"},
	{exitInterrupted, "it was interrupted (Ctrl-C, SIGTERM); a batch says how to continue"},
}

// badEndError says that an instance ended otherwise than completed.
type badEndError struct{ error }

// notThereError says that what a command is about is not there.
type notThereError struct{ error }

// statusOf is the exit status that an error means.
func statusOf(ctx context.Context, err error) int {
	var wrong *usage.Error
	var invalid *turnstile.InvalidArgumentError
	var wait *client.WaitError
	var bad badEndError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &wrong), errors.As(err, &invalid):
		return exitUsage
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &bad):
		return exitBadEnd
	case errors.As(err, &wait):
		return exitTimeout
	case allNotFound(err):
		return exitNotFound
	}
	return exitFailed
}

// allNotFound reports whether an error, each of those that were joined, says that
// something is not there.
func allNotFound(err error) bool {
	var gone notThereError
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return !slices.ContainsFunc(joined.Unwrap(), func(err error) bool { return !allNotFound(err) })
	}
	return errors.As(err, &gone) || errors.Is(err, client.ErrNotFound)
}
