// Package host has what a program that runs orchestrations and activities may set, and
// what it is told: [Settings], [Observer] and [Propagator], which packages embedded and
// awslambda take as options.
//
//	env, err := embedded.Start(app, embedded.WithSettings(host.Settings{
//		Attempt: host.AttemptSettings{Parallelism: 4},
//	}))
//
// The zero value of each setting is its default, which the field's comment names.
package host
