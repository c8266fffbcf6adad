package codec

import (
	"fmt"
	"strings"
)

// UnknownError says that a payload is sealed by a codec that this process does
// not have. Nothing is wrong with it: another process, or a later deployment,
// opens it.
type UnknownError struct {
	// Codec is the mark.
	Codec string
	// Where the payload stands, in words; it names the instance.
	Where string
	// Known are the marks that this process can open.
	Known []string
}

func (e *UnknownError) Error() string {
	known := "it has no codec"
	if len(e.Known) > 0 {
		known = "it has " + strings.Join(e.Known, ", ")
	}
	return fmt.Sprintf("codec: %s is sealed by codec %q, which this process does not have (%s): deploy it, with its key, among the codecs that are read", e.Where, e.Codec, known)
}

// DamagedError says that a payload is not what the codec of its mark has made:
// it was changed, or sealed under another key of the same name.
type DamagedError struct {
	// Codec is the mark.
	Codec string
	// Where the payload stands, in words; it names the instance.
	Where string
	Err   error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("codec: %s is damaged, or was sealed under another key that has the name %q: %v", e.Where, e.Codec, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// SealError says that a payload could not be sealed. Nothing was written or
// sent; it is tried again.
type SealError struct {
	// Codec is the one that writes.
	Codec string
	// Where the payload was to stand, in words; it names the instance.
	Where string
	Err   error
}

func (e *SealError) Error() string {
	return fmt.Sprintf("codec: %s could not be sealed by codec %q: %v", e.Where, e.Codec, e.Err)
}

func (e *SealError) Unwrap() error { return e.Err }
