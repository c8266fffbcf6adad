// Package local runs a whole application on one machine: orchestrations and activities in one process,
// on a database that survives it, with the console and the live trace. It is the main function of the
// program that `turnstile dev` builds and runs:
//
//	func main() {
//		local.Run(turnstile.NewApp(app.Orchestrations(), app.Activities()))
//	}
//
// go run ./local also runs it, once. A program that needs more control uses packages embedded and
// sqlite directly; [ReplayIfAsked] makes `turnstile replay` work with it.
package local
