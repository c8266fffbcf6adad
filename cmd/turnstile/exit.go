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

// exitMeanings describes the exit statuses in order.
var exitMeanings = []struct {
	status  int
	meaning string
}{
	{exitOK, "the command succeeded"},
	{exitFailed, "the command failed; the message on standard error says why"},
	{exitUsage, "usage error: the command line is invalid; nothing was done"},
	{exitNotFound, "the instance, execution or dead letter does not exist"},
	{exitBadEnd, "the instance ended with a status other than completed (wait, watch, start --wait), or the update was rejected or its handler failed (update)"},
	{exitTimeout, "--timeout passed before the instance ended (wait, watch, start --wait) or the schedule existed (schedule create); --wait passed before the answer (update)"},
	{exitInterrupted, "the command was interrupted (Ctrl-C, SIGTERM, or a closed terminal); a batch prints how to continue it"},
}

// badEndError reports that an instance ended with a status other than completed.
type badEndError struct{ error }

// notThereError reports that the object of a command does not exist.
type notThereError struct{ error }

// statusOf returns the exit status for an error.
func statusOf(ctx context.Context, err error) int {
	var wrong *usage.Error
	var invalid *turnstile.InvalidArgumentError
	var wait *client.WaitError
	var answer *client.UpdateWaitError
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
	case errors.As(err, &wait), errors.As(err, &answer):
		return exitTimeout
	case allNotFound(err):
		return exitNotFound
	}
	return exitFailed
}

// allNotFound reports whether err, or every error joined in it, means that an object does not
// exist.
func allNotFound(err error) bool {
	var gone notThereError
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return !slices.ContainsFunc(joined.Unwrap(), func(err error) bool { return !allNotFound(err) })
	}
	return errors.As(err, &gone) || errors.Is(err, client.ErrNotFound)
}
