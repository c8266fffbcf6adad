// Package host has what a program that runs orchestrations and activities may set, and
// what it is told: [Settings], [Observer] and [Propagator], which packages embedded and
// awslambda take as options.
//
//	env, err := embedded.New(app, embedded.WithSettings(host.Settings{
//		Attempt: host.AttemptSettings{Parallelism: 4},
//	}))
//
// The zero value of each setting is its default, which the field's comment names.
//
//   - [Settings] has a group for each concern, for example [AttemptSettings] for the attempts
//     of activities and [CacheSettings] for the cache of instances. Settings.Complete fills in
//     the defaults and reports values that cannot be.
//   - [Observer] is told of each commit ([Committed]), of counts ([Counter]), of durations
//     ([Timing]), and of instances that get stuck or go on ([ProblemChange]). Embed
//     [NoObserver] for the methods that you do not need.
//   - [InstanceEvent] is what subscribers are told: an instance has started, ended, is stuck.
//   - [Propagator] returns the headers that carry a trace into the messages of a turn.
package host
