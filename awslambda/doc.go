// Package awslambda runs an application on AWS: the two Lambda handlers of
// template.yaml as functions, and a client for services.
//
// The orchestrator's main:
//
//	func main() {
//		awslambda.RunOrchestrator(turnstile.NewApp(Fulfil.Implement(fulfil)))
//	}
//
// The activity function's main, with what its activities need:
//
//	func main() {
//		payments := payments.New(os.Getenv("PAYMENTS_URL"))
//		awslambda.RunActivities(turnstile.NewApp(Charge.Implement(payments.Charge)))
//	}
//
// Both read the TURNSTILE_ environment variables that template.yaml sets
// ([Config] lists them), check all of them at once, make their AWS clients
// once, and then serve invocations until Lambda ends the process. What is
// wrong at start ends it with an error that names every mistake.
//
// Build them for Lambda with CGO_ENABLED=0 and -tags lambda.norpc; see
// docs/deploy.md.
//
// Both functions answer SQS with partial batch responses, so their event
// source mappings need ReportBatchItemFailures in FunctionResponseTypes, or
// every message of a batch counts as done.
//
// # The names that most programs need
//
//   - [RunOrchestrator] and [RunActivities] are the mains of the two functions, and [NewClient]
//     makes the client of a service.
//   - [WithLogger], [WithSettings], [WithObserver] and [WithCodecs] mean the same as in package
//     embedded.
//   - [NewOrchestrator] and [NewActivityFunction] return the handlers, if your program starts
//     Lambda itself.
package awslambda
