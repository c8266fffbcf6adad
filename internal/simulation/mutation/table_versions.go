package mutation

// versionMutations run another version than they have to.
func versionMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a patch is not waited for where a history was damaged",
			Rare:  true,
			Bias:  "damages",
			Bug:   "A build that lacks a patch marks an instance whose history was restored, in the middle of the patch's rollout.",
			File:  "internal/host/deciding/other_build.go",
			Edits: edit("takesOver() || t.swept() {", "takesOver() || t.View.Problem() != nil {"),
		},
		{
			Name:  "continue-as-new keeps the version",
			Bug:   "An execution that continues as new without a version goes on as the version that it was.",
			File:  "engine/continue_as_new.go",
			Edits: edit("			version = o.Version\n", "			version = o.Version[:0] + was.Version\n"),
		},
		{
			Name:  "continue-as-new takes no version",
			Bug:   "An execution that continues as new with a version gets the newest.",
			File:  "engine/continue_as_new.go",
			Edits: edit("	if version == \"\" {", "	if version != was.Name {"),
		},
		{
			Name:  "the newest is the oldest",
			Bug:   "A start without a version takes the oldest that is registered.",
			File:  "engine/registry.go",
			Edits: edit("return list[len(list)-1], nil", "return list[0], nil"),
		},
		{
			Name:  "versions are compared by spelling",
			Bug:   "1.10 is taken for older than 1.2.",
			File:  "engine/registry.go",
			Edits: edit("		case xerr == nil && yerr == nil:\n			if x != y {", "		case xerr == nil && yerr == nil && x == y:\n			if x != y {"),
		},
		{
			Name:  "another version will do",
			Bug:   "An instance whose version is not registered is run by the newest.",
			File:  "engine/deliver.go",
			Edits: edit("	def, err := x.cfg.Registry.Lookup(e.Name, e.Version)\n", "	def, err := x.cfg.Registry.Lookup(e.Name, e.Version)\n	if err != nil {\n		def, err = x.cfg.Registry.Newest(e.Name)\n	}\n"),
		},
		{
			Name:  "a patch of another build is a mistake",
			Bug:   "A process of the build before a patch marks instances as stuck in the middle of its rollout.",
			File:  "internal/host/deciding/round.go",
			Edits: edit("c.out.Stuck.Patch != \"\" {", "c.out.Stuck.Patch == \"?\" {"),
			Rare:  true,
		},
		{
			Name:  "a message that goes round for a patch is always new",
			Bug:   "Where the code of a patch was taken out, its instances' messages go round for ever.",
			File:  "internal/host/inbox/desk.go",
			Edits: edit("	if m.Item.FirstSeenMS == 0 || m.FromDeadLetters() {", "	if m.Item.FirstSeenMS >= 0 || m.FromDeadLetters() {"),
			Rare:  true,
		},
		{
			Name:  "a version that was asked for is not sent",
			Bug:   "A child that is started in a version gets the newest.",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("OrchVersion: e.Version,\n		Input: e.Payload, Codec: e.Codec, ID: c.id(\"child\"", "\n		Input: e.Payload, Codec: e.Codec, ID: c.id(\"child\""),
		},
		{
			Name:  "the record keeps the version",
			Bug:   "The record of an instance that continued as new says the version that it was.",
			File:  "internal/host/projection/project.go",
			Edits: edit("c.ExecutionID, c.Version, dirty = &next, &version, true", "c.ExecutionID, dirty = &next, version != s.Instance"),
		},
	}
}
