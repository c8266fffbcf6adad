// Package gzip is a payload codec that compresses, using the standard library. Put it before the
// codec that encrypts, because encrypted data does not compress:
//
//	set, err := codec.NewSet(codec.Chain(gzip.New(), key))
//
// The tables already compress large values that are not encoded. So this codec alone only makes
// messages smaller; in front of a codec that encrypts, it makes stored data smaller too.
//
// The length of a compressed payload reveals something about its content. Do not compress a secret
// together with text that an attacker chooses.
package gzip

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"sync"

	"github.com/turnstile-go/turnstile/codec"
)

// maxPlain is the maximum size of a decompressed payload. A larger payload cannot come from a
// program within its limits, and would exhaust the memory.
const maxPlain = 4 << 20

// compressed implements codec.Codec. It reuses writers and readers, because a new writer allocates
// 800 KB of tables and a new reader a window of 40 KB, whatever the length of the payload.
type compressed struct {
	writers sync.Pool // of *gzip.Writer
	readers sync.Pool // of *gzip.Reader
}

// New returns the codec; its name is "gzip".
func New() codec.Codec { return &compressed{} }

// Name implements codec.Codec.
func (*compressed) Name() string { return "gzip" }

// Encode implements codec.Codec.
func (c *compressed) Encode(plain []byte) ([]byte, error) {
	var b bytes.Buffer
	w, ok := c.writers.Get().(*gzip.Writer)
	if ok {
		w.Reset(&b)
	} else {
		w = gzip.NewWriter(&b)
	}
	defer c.writers.Put(w)
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Decode implements codec.Codec. A payload that decompresses to more than 4 MiB is an error.
func (c *compressed) Decode(encoded []byte) ([]byte, error) {
	r, ok := c.readers.Get().(*gzip.Reader)
	if !ok {
		r = new(gzip.Reader)
	}
	defer c.readers.Put(r)
	if err := r.Reset(bytes.NewReader(encoded)); err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(r, maxPlain+1))
	if err != nil {
		return nil, err
	}
	if len(plain) > maxPlain {
		return nil, fmt.Errorf("gzip: decompressed payload exceeds %d bytes", maxPlain)
	}
	return plain, r.Close()
}
