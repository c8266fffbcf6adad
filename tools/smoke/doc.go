// Command smoke tells whether a deployed stack works, and how fast: it runs a
// chain of activities, a timer that goes through EventBridge Scheduler and an
// external event, side by side, and prints what it measured.
//
//	go run . -stack turnstile-dev
//
// It finds the stack's queues and tables by its outputs, with the credentials
// and the region that the AWS SDK finds; AWS_ENDPOINT_URL leads it to a local
// stack. The stack has to run the functions of lambdas/, which register the
// orchestrations of internal/smokeapp.
//
// The timer is as long as the stack's settings TimerBorder and TimerLeast
// demand for it to go through Scheduler: a quarter of an hour by default, two
// minutes on a stack that was deployed with TimerBorder=0.
//
// It is a module of its own so that Turnstile does not depend on the SDK of
// CloudFormation.
package main
