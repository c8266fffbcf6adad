package mutation

import "slices"

// All returns every mutation.
func All() []Mutation {
	return slices.Concat(engineMutations(), hostMutations(), activityMutations(), storeMutations(), codecMutations(), keyMutations(), restoreMutations(), versionMutations(), formatMutations(), orderMutations(), reportMutations(), limitMutations(), queueMutations(), againMutations(), forkMutations(), pruneMutations(), scheduleMutations(), eventMutations(), earlyMutations(), coordinatorMutations(), clientMutations(), sizeMutations(), queryMutations(), updateMutations())
}

// edit is a list of one edit.
func edit(anchor, replacement string) []Edit { return []Edit{{anchor, replacement}} }
