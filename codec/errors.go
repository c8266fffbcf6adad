package codec

import (
	"fmt"
	"strings"
)

// UnknownError is returned for a payload whose codec this process does not have. The payload is
// intact: another process, or a later deployment, can decode it.
type UnknownError struct {
	// Codec is the name of the payload's codec.
	Codec string
	// Where describes the place of the payload, with the instance.
	Where string
	// Known are the names of the codecs that this process has.
	Known []string
}

func (e *UnknownError) Error() string {
	known := "it has no codecs"
	if len(e.Known) > 0 {
		known = "it has " + strings.Join(e.Known, ", ")
	}
	return fmt.Sprintf("codec: %s is encoded by codec %q, which this process does not have (%s): deploy it, with its key, as a codec that decodes", e.Where, e.Codec, known)
}

// DamagedError is returned for a payload that its codec cannot decode: it was changed, or encrypted
// with a different key of the same name.
type DamagedError struct {
	// Codec is the name of the payload's codec.
	Codec string
	// Where describes the place of the payload, with the instance.
	Where string
	Err   error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("codec: %s is damaged, or was encoded with a different key that has the name %q: %v", e.Where, e.Codec, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// EncodeError is returned if a payload could not be encoded. Nothing was written or sent, and the
// host tries again.
type EncodeError struct {
	// Codec is the name of the codec that encodes.
	Codec string
	// Where describes the intended place of the payload, with the instance.
	Where string
	Err   error
}

func (e *EncodeError) Error() string {
	return fmt.Sprintf("codec: %s could not be encoded by codec %q: %v", e.Where, e.Codec, e.Err)
}

func (e *EncodeError) Unwrap() error { return e.Err }
