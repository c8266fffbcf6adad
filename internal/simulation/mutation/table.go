package mutation

import "slices"

// All returns every mutation.
func All() []Mutation {
	return slices.Concat(engineMutations(), hostMutations(), activityMutations(), storeMutations(), codecMutations(), keyMutations(), versionMutations(), formatMutations(), orderMutations(), toldMutations(), limitMutations(), queueMutations(), againMutations(), forkMutations(), pruneMutations(), scheduleMutations(), eventMutations(), earlyMutations(), gateMutations(), clientMutations(), sizeMutations())
}

// edit is a list of one edit.
func edit(anchor, replacement string) []Edit { return []Edit{{anchor, replacement}} }
