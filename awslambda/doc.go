// Package awslambda runs an application on AWS. It has the two Lambda handlers of template.yaml, and a
// client for services.
//
// The main function of the orchestrator:
//
//	func main() {
//		awslambda.RunOrchestrator(turnstile.NewApp(Fulfil.Implement(fulfil)))
//	}
//
// The main function of the activity function, with the dependencies of its activities:
//
//	func main() {
//		payments := payments.New(os.Getenv("PAYMENTS_URL"))
//		awslambda.RunActivities(turnstile.NewApp(Charge.Implement(payments.Charge)))
//	}
//
// Both read the TURNSTILE_ environment variables that template.yaml sets ([Config] lists them), check all of
// them at once, create their AWS clients once, and then serve invocations until Lambda ends the process. If the
// configuration is invalid, the process ends at startup with an error that lists every mistake.
//
// Build them for Lambda with CGO_ENABLED=0 and -tags lambda.norpc; see docs/deploy.md.
//
// Both functions return partial batch responses to SQS. Their event source mappings therefore need
// ReportBatchItemFailures in FunctionResponseTypes; without it, SQS deletes failed messages of a batch
// too.
//
// # The names that most programs need
//
//   - [RunOrchestrator], [RunActivities] and [RunQueries] are the main functions of the three Lambda functions.
//     [NewClient] returns a client for a service.
//   - [WithLogger], [WithSettings], [WithObserver] and [WithCodecs] mean the same as in package
//     embedded.
//   - [NewOrchestrator] and [NewActivityFunction] return the handlers, if your program starts Lambda
//     itself.
package awslambda
