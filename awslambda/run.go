package awslambda

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/turnstile-go/turnstile"
)

// RunOrchestrator serves the orchestrator function: it reads and checks the
// environment, makes the AWS clients, and hands invocations to the application
// until Lambda ends the process. It does not return: what is wrong at start is
// logged, all of it, and the process exits with status 1.
//
// It registers an internal extension without events, by which Lambda tells the
// process that it ends; metrics that it still holds are written then.
//
// Activities of the application are those that run inline, inside turns; the
// others belong to the activity function.
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

// serve hands invocations to handle, and calls flush when Lambda ends the process: it
// tells those alone that have registered an extension, and leaves them half a second.
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

// logStart logs why the process can't serve: one line, each problem an element
// of a list, for CloudWatch shows lines.
func logStart(logger *slog.Logger, err error) {
	var e *configError
	if !errors.As(err, &e) {
		logger.Error("turnstile does not start", "error", err.Error())
		return
	}
	problems := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		problems[i] = p.String()
	}
	logger.Error(fmt.Sprintf("turnstile does not start: %s: environment variables are missing or wrong", e.Process), "problems", problems)
}

// configure makes the AWS configuration of a function unless it was given.
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
