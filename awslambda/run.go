package awslambda

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/turnstile-go/turnstile"
)

// RunOrchestrator serves the orchestrator function: it reads and checks the environment, creates the
// AWS clients, and handles invocations until Lambda ends the process. It does not return: if anything
// is wrong at the start, it logs every problem and exits with status 1.
//
// It registers an internal extension without events, through which Lambda announces the end of the
// process; the process then writes the metrics that it still holds.
//
// The activities of the application are those that run inline, within turns; the other activities
// belong to the activity function.
func RunOrchestrator(app *turnstile.App, opts ...Option) {
	o, err := NewOrchestrator(app, os.Environ(), opts...)
	if err != nil {
		exit(opts, err)
	}
	serve(o.Handle, o.Flush)
}

// RunActivities serves the activity function; see RunOrchestrator.
func RunActivities(app *turnstile.App, opts ...Option) {
	w, err := NewActivityFunction(app, os.Environ(), opts...)
	if err != nil {
		exit(opts, err)
	}
	serve(w.Handle, w.Flush)
}

// serve passes invocations to handle, and calls flush when Lambda ends the process. Lambda announces
// the end only to processes that have registered an extension, and gives them half a second.
//
// https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
func serve(handle any, flush func()) {
	lambda.StartWithOptions(handle, lambda.WithEnableSIGTERM(flush))
}

func exit(opts []Option, err error) {
	o := collect(opts)
	logStart(o.logTo(slog.LevelInfo), err)
	os.Exit(1)
}

// logStart logs why the process cannot start: one line, because CloudWatch shows lines, with a list
// that has an element for each problem.
func logStart(logger *slog.Logger, err error) {
	var e *configError
	if !errors.As(err, &e) {
		logger.Error("turnstile did not start", "error", err.Error())
		return
	}
	problems := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		problems[i] = p.String()
	}
	logger.Error(fmt.Sprintf("turnstile did not start: %s: environment variables are missing or wrong", e.Process), "problems", problems)
}

// configure loads the AWS configuration of a function unless it was given.
func (o *options) configure() error {
	if o.aws != nil {
		return nil
	}
	cfg, err := functionConfig()
	if err != nil {
		return err
	}
	o.aws = &cfg
	return nil
}
