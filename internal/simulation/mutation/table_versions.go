package mutation

// versionMutations run the wrong version.
func versionMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a restored history does not wait for a patch",
			Rare:  true,
			Bias:  "damages",
			Bug:   "A build that lacks a patch marks a restored instance as stuck during the patch's rollout.",
			File:  "internal/host/deciding/other_build.go",
			Edits: edit("k.View.Record == nil || k.swept() {", "k.View.Record == nil || k.View.Problem() != nil {"),
		},
		{
			Name:  "continue-as-new keeps the version",
			Bug:   "An execution that continues as new without a version keeps its version.",
			File:  "engine/continue_as_new.go",
			Edits: edit("			version = o.Version\n", "			version = o.Version[:0] + was.Version\n"),
		},
		{
			Name:  "continue-as-new ignores a version",
			Bug:   "An execution that continues as new with a version gets the newest.",
			File:  "engine/continue_as_new.go",
			Edits: edit("	if version == \"\" {", "	if version != was.Name {"),
		},
		{
			Name:  "the newest is the oldest",
			Bug:   "A start without a version gets the oldest registered version.",
			File:  "engine/registry.go",
			Edits: edit("return list[len(list)-1], nil", "return list[0], nil"),
		},
		{
			Name:  "versions are compared by spelling",
			Bug:   "1.10 counts as older than 1.2.",
			File:  "engine/registry.go",
			Edits: edit("		case xerr == nil && yerr == nil:\n			if x != y {", "		case xerr == nil && yerr == nil && x == y:\n			if x != y {"),
		},
		{
			Name:  "an unregistered version runs as the newest",
			Bug:   "The newest version runs an instance whose own version is not registered.",
			File:  "engine/deliver.go",
			Edits: edit("	def, err := x.cfg.Registry.Lookup(e.Name, e.Version)\n", "	def, err := x.cfg.Registry.Lookup(e.Name, e.Version)\n	if err != nil {\n		def, err = x.cfg.Registry.Newest(e.Name)\n	}\n"),
		},
		{
			Name:  "another build's patch makes an instance stuck",
			Bug:   "A process of the build before a patch marks instances as stuck during its rollout.",
			File:  "internal/host/deciding/round.go",
			Edits: edit("d.Stuck.Patch != \"\" {", "d.Stuck.Patch == \"?\" {"),
			Rare:  true,
		},
		{
			Name:  "an instance does not say that it waits for another build",
			Bug:   "After a rollback to a build without the patch, no view says why an instance does not continue until it is stuck.",
			File:  "internal/host/orchestrator/group.go",
			Edits: edit("	if err == nil {\n		a.Message", "	if err == nil && a.Patch == instance {\n		a.Message"),
			Test:  "internal/host/orchestrator TestV04ARollbackPastAPatchIsRecordedAtOnce",
		},
		{
			Name:  "a message that waits for a patch is requeued forever",
			Bug:   "If the code of a patch was removed, the messages of its instances are requeued forever.",
			File:  "internal/host/inbox/settler.go",
			Edits: edit("	if m.Item.FirstSeenMS == 0 || m.FromDeadLetters() {", "	if m.Item.FirstSeenMS >= 0 || m.FromDeadLetters() {"),
			Rare:  true,
		},
		{
			Name:  "a requested version is not sent",
			Bug:   "A child that is started in a given version gets the newest.",
			File:  "internal/host/dispatch/items.go",
			Edits: edit("OrchVersion: e.Version,\n		Input: e.Payload, Codec: e.Codec, ID: c.id(\"child\"", "\n		Input: e.Payload, Codec: e.Codec, ID: c.id(\"child\""),
		},
		{
			Name:  "the record keeps the previous version",
			Bug:   "The record of an instance that continued as new has the previous version.",
			File:  "internal/host/projection/project.go",
			Edits: edit("c.ExecutionID, c.Version, dirty = &next, &version, true", "c.ExecutionID, dirty = &next, version != s.Instance"),
		},
	}
}
