package wire

// Limits of a work item, in bytes. A field that is 0 means its default; below
// 0 means no limit.
type Limits struct {
	// InstanceID: 512 by default. Instance ids are 1 byte or more of UTF-8
	// without what BadCharacter finds.
	InstanceID int
	// ID of an item, of an event that a start brings, of a worker's request,
	// and tokens: 256 by default. Characters as of an instance id.
	ID int
	// Name of an orchestration, an activity or an event, a version, a codec,
	// an actor, a fairness group: 256 by default. Characters as of an instance
	// id; names are 1 byte or more.
	Name int
	// Payload: each input, data, result and details: 262,144 (256 KiB) by
	// default. Of an item with a codec half as much again: base64 makes a
	// payload a third longer, a codec some bytes. The limit holds for what
	// comes out of it too.
	Payload int
	// Text: a reason, and each text of a failure: 65,536 (64 KiB) by default.
	Text int
}

// DefaultLimits returns the limits that Parse applies.
func DefaultLimits() Limits {
	return Limits{InstanceID: 512, ID: 256, Name: 256, Payload: 256 << 10, Text: 64 << 10}
}

// noLimits is for what has been let in, or made here, already.
func noLimits() Limits { return Limits{-1, -1, -1, -1, -1} }

// sealedPayload is how large a payload may be that a codec has sealed.
func (l Limits) sealedPayload() int {
	if l.Payload < 0 {
		return l.Payload
	}
	return l.Payload + l.Payload/2
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	if l == (Limits{}) {
		return d
	}
	for _, f := range []struct {
		set      *int
		fallback int
	}{
		{&l.InstanceID, d.InstanceID}, {&l.ID, d.ID}, {&l.Name, d.Name}, {&l.Payload, d.Payload}, {&l.Text, d.Text},
	} {
		if *f.set == 0 {
			*f.set = f.fallback
		}
	}
	return l
}
