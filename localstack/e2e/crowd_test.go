//go:build unix

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/smithy-go/middleware"

	"github.com/turnstile-go/turnstile"
)

// An orchestration whose activities run under one limit or rate. They note in a file that
// all processes share when they begin and end, so the test binary runs them.
var (
	crowd = turnstile.NewOrchestration[crowdOf, int]("Crowd")
	pass  = turnstile.NewActivity[string, turnstile.None]("Pass")
)

// crowdOf says how many activities, and under what: a Limit of N, or a Rate of N in PerMS.
type crowdOf struct {
	Key        string
	Activities int
	N          int
	PerMS      int64
}

func gather(ctx turnstile.Context, in crowdOf) (int, error) {
	var under turnstile.ActivityOption = turnstile.Limit(in.Key, in.N)
	if in.PerMS > 0 {
		under = turnstile.Rate(in.Key, in.N, time.Duration(in.PerMS)*time.Millisecond)
	}
	all := make([]turnstile.Future[turnstile.None], in.Activities)
	for i := range all {
		all[i] = pass.With(under).Start(ctx, in.Key)
	}
	done, err := turnstile.Join(ctx, all...)
	return len(done), err
}

// passing is how long the work of Pass takes, once two have run at a time.
const passing = 20 * time.Millisecond

func passThrough(ctx context.Context, key string) (none turnstile.None, err error) {
	if err := note(noteStarts, key); err != nil {
		return none, err
	}
	defer func() { err = errors.Join(err, note(noteEnds, key)) }()
	// The first one runs until there is a second: that two run at a time is no matter of chance.
	for {
		select {
		case <-time.After(passing):
		case <-ctx.Done():
			return none, ctx.Err()
		}
		if saw, err := readNotes(os.Getenv(notesVariable)); err != nil || saw.atOnce[key] > 1 {
			return none, err
		}
	}
}

// What the file of notes has: a line of one of these words and what it is about. The file
// has one order of them over all processes, in which nothing ends after its note of that.
const (
	noteStarts  = "begins"  // and the key
	noteEnds    = "ends"    // and the key
	noteRequest = "request" // and the service
)

// notesVariable names the file.
const notesVariable = "E2E_NOTES"

func note(word string, about ...any) error {
	f, err := os.OpenFile(os.Getenv(notesVariable), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(word + " " + fmt.Sprintln(about...))
	return errors.Join(err, f.Close())
}

// noting is the configuration of a function that notes its requests.
func noting(ctx context.Context) (aws.Config, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("NoteRequests",
			func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
				if err := note(noteRequest, awsmiddleware.GetServiceID(ctx)); err != nil {
					return middleware.DeserializeOutput{}, middleware.Metadata{}, err
				}
				return next.HandleDeserialize(ctx, in)
			}), middleware.Before)
	})
	return cfg, err
}
