package world

import (
	"bytes"
	"testing"
)

func TestAKeyOfTheSimulationDecodesOnlyWhatItHasEncoded(t *testing.T) {
	t.Parallel()
	a, b := &key{name: "a"}, &key{name: "b"}
	plain := []byte(`{"hidden":1}`)
	first, _ := a.Encode(plain)
	second, _ := a.Encode(plain)
	if bytes.Equal(first, second) || bytes.Contains(first, []byte(Marker)) {
		t.Errorf("sealed twice: %q, %q", first, second)
	}
	if got, err := a.Decode(bytes.Clone(second)); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("opened: %q, %v", got, err)
	}
	if got, err := b.Decode(bytes.Clone(first)); err == nil {
		t.Errorf("another key opens it: %q", got)
	}
	for i := range first {
		changed := bytes.Clone(first)
		changed[i] ^= 1
		if got, err := a.Decode(changed); err == nil {
			t.Errorf("changed at %d it is opened: %q", i, got)
		}
	}
	if _, err := a.Decode(first[:5]); err == nil {
		t.Error("a part of it is opened")
	}
}
