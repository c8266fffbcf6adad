package wire

// Limits of a work item, in bytes. A field that is 0 uses its default; a negative value
// means no limit.
type Limits struct {
	// InstanceID is 512 by default. An instance id has at least 1 byte of UTF-8, and no character
	// that BadCharacter finds.
	InstanceID int
	// ID of an item, of an event that a start includes, of a worker's request, and
	// tokens: 256 by default. The same characters are allowed as in an instance id.
	ID int
	// Name of an orchestration, an activity or an event, a version, a codec, an actor, a
	// fairness group: 256 by default. The same characters are allowed as in an instance
	// id; a name has at least 1 byte.
	Name int
	// Payload limits each input, data, result and details: 262,144 (256 KiB) by default. An item
	// with a codec may have half as much again, because base64 makes a payload a third longer and a
	// codec adds some bytes. The decoded payload must be within the limit too.
	Payload int
	// Text limits a reason and each text of a failure: 65,536 (64 KiB) by default.
	Text int
}

// DefaultLimits returns the limits that Parse applies.
func DefaultLimits() Limits {
	return Limits{InstanceID: 512, ID: 256, Name: 256, Payload: 256 << 10, Text: 64 << 10}
}

// noLimits is for items that were already accepted, or were made by this process.
func noLimits() Limits { return Limits{-1, -1, -1, -1, -1} }

// encodedPayload returns the size limit of a payload that a codec has encoded.
func (l Limits) encodedPayload() int {
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
