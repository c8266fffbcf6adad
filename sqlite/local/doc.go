// Package local runs a whole application on one machine: orchestrations and
// activities in one process, on a database that outlives it, with the console
// and the live trace. It is the main function of the program that `turnstile
// dev` builds and runs:
//
//	func main() {
//		local.Run(turnstile.NewApp(app.Orchestrations(), app.Activities()))
//	}
//
// go run ./local runs it too, once. A program that decides more is written on
// packages embedded and sqlite; [ReplayIfAsked] lets `turnstile replay` work with it.
package local
