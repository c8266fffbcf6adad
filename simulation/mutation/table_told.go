package mutation

// toldMutations tell a program, or those that work for it, something else than was said.
func toldMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a rejected event ends the wait",
			Bug:   "A wait that has rejected an event takes no other.",
			File:  "engine/external_event.go",
			Edits: edit("		if rejected {\n			return\n		}\n		n.waits = n.waits[1:]", "		if rejected {\n			n.waits = n.waits[1:]\n			return\n		}\n		n.waits = n.waits[1:]"),
		},
		{
			Name:  "a rejected event is delivered all the same",
			Bug:   "A wait gets an event whose rejection it has recorded.",
			File:  "engine/rejected_event.go",
			Edits: edit("	x.cursor.scheduled = r.EventID\n	return true, nil", "	x.cursor.scheduled = r.EventID\n	return false, nil"),
		},
		{
			Name:  "a rejection is not recorded",
			Bug:   "An event that a wait rejects is gone, and history does not say so.",
			File:  "engine/rejected_event.go",
			Edits: edit("	r := x.append(&history.Event{Kind: history.ExternalRejected", "	if reasonOf(problem) != \"\" {\n		return true, nil\n	}\n	r := x.append(&history.Event{Kind: history.ExternalRejected"),
		},
		{
			Name:  "a replay asks again what a wait rejects",
			Bug:   "Where a type has changed, an event that was rejected is delivered on replay.",
			File:  "engine/rejected_event.go",
			Edits: edit("		return x.claimRejection(e), nil", "		return x.claimRejection(e) && accepts != nil, nil"),
		},
	}
}
