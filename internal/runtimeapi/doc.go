// Package runtimeapi runs Lambda bootstraps on this machine, several at once,
// for tests in which real processes race.
//
// A [Driver] starts executables as child processes and serves each of them the
// Lambda Runtime API over HTTP on loopback, so that a program built for Lambda
// runs as it is:
//
//	driver := runtimeapi.NewDriver()
//	defer driver.Close()
//	one, err := driver.Start(ctx, runtimeapi.Command{Path: "bootstrap", Env: env})
//	two, err := driver.Start(ctx, runtimeapi.Command{Path: "bootstrap", Env: env})
//	go one.Invoke(ctx, event, deadline)
//	go two.Invoke(ctx, event, deadline)
//
// A process takes one invocation at a time, as an execution environment of
// Lambda does. It can be killed in the middle of one ([Bootstrap.Kill]) and
// started again ([Bootstrap.Restart]); [Bootstrap.AwaitOutput] tells when it
// has got so far. Payloads are bytes: what an event source would make of its
// messages is the caller's business.
//
// It differs from Lambda: a process that exited is not started again by the
// next invocation but by Restart, so that a test decides; nothing is frozen
// between invocations; memory is not limited; of extensions there
// are those of the process itself that have no events, by which it asks for a
// SIGTERM when it ends; nobody sends it.
//
// The protocol: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
package runtimeapi
