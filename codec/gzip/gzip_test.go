package gzip_test

import (
	"bytes"
	stdgzip "compress/gzip"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/codec/gzip"
)

func TestACompressedPayloadIsRestoredExactly(t *testing.T) {
	t.Parallel()
	c := gzip.New()
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SliceOf(rapid.Byte()).Draw(t, "plain")
		encoded, err := c.Encode(plain)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Decode(encoded); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("got %q, %v; want %q", got, err, plain)
		}
		if _, err := c.Decode(encoded[:len(encoded)-1]); err == nil {
			t.Error("cut, it was decoded")
		}
	})
}

func TestABombIsRefused(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := stdgzip.NewWriter(&b)
	_, _ = w.Write(make([]byte, 5<<20))
	_ = w.Close()
	if _, err := gzip.New().Decode(b.Bytes()); err == nil || !strings.Contains(err.Error(), "exceeds") {
		t.Errorf("%d bytes that become 5 MiB: %v", b.Len(), err)
	}
}

// A payload is compressed and decompressed once per turn, so the allocations of new writers would
// use most of the memory of a process with this codec.
func TestWritersAndReadersAreReused(t *testing.T) {
	c := gzip.New()
	plain := []byte(`{"order":7}`)
	once := func() {
		encoded, err := c.Encode(plain)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Decode(encoded); err != nil {
			t.Fatal(err)
		}
	}
	once()
	var before, after runtime.MemStats
	const times = 100
	runtime.ReadMemStats(&before)
	for range times {
		once()
	}
	runtime.ReadMemStats(&after)
	// The race detector makes a pool drop one of four items.
	if each := (after.TotalAlloc - before.TotalAlloc) / times; each > 400<<10 {
		t.Errorf("a payload of %d bytes takes %d bytes of memory", len(plain), each)
	}
}
