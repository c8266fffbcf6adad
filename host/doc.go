// Package host has the settings of programs that run orchestrations and activities ([Settings]), and
// the interfaces through which the host notifies a program ([Observer], [Propagator]). Packages
// embedded and awslambda take them as options.
//
//	env, err := embedded.New(app, embedded.WithSettings(host.Settings{
//		Attempt: host.AttemptSettings{Parallelism: 4},
//	}))
//
// The zero value of each setting means its default, which the field's comment names.
//
//   - [Settings] has a group for each concern, for example [AttemptSettings] for the attempts of
//     activities and [CacheSettings] for the cache of instances. Settings.Complete fills in the
//     defaults and reports invalid values.
//   - [Observer] is notified of commits ([Committed]), counts ([Counter]), durations ([Timing]), and
//     instances that get stuck or recover ([ProblemChange]). Embed [NoObserver] to implement only the
//     methods that you need.
//   - [InstanceEvent] is the event that subscribers receive when an instance starts, ends or gets
//     stuck.
//   - [Propagator] returns the headers that carry a trace into the messages of a turn.
package host
