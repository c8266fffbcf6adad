package codec

import "strings"

// Codec encodes and decodes payloads with an algorithm, and with a key if the algorithm needs one.
// Its methods are called from several goroutines at the same time.
type Codec interface {
	// Name returns the name that is stored next to each encoded payload, and by which decoding
	// finds the codec. The meaning of a name must never change; a codec with a key includes the id
	// of the key. A name has 1 to 256 bytes of UTF-8 without control characters. Names that begin
	// with "blob" are reserved.
	Name() string
	// Encode encodes a payload, which is JSON. Two calls with the same payload may return different
	// bytes. Encode must neither keep nor change plain.
	Encode(plain []byte) ([]byte, error)
	// Decode returns the original payload, byte for byte. For bytes that Encode did not return, it
	// returns an error; it never guesses.
	Decode(encoded []byte) ([]byte, error)
}

// Chain returns a codec that encodes with each of the codecs in order, and decodes in reverse
// order. Its name is the names of the codecs, joined with a plus. Put the codec that compresses
// before the one that encrypts:
//
//	codec.Chain(gzip.New(), key)
func Chain(codecs ...Codec) Codec { return chain(codecs) }

type chain []Codec

func (c chain) Name() string {
	names := make([]string, len(c))
	for i, each := range c {
		names[i] = each.Name()
	}
	return strings.Join(names, "+")
}

func (c chain) Encode(data []byte) (_ []byte, err error) {
	for _, each := range c {
		if data, err = each.Encode(data); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (c chain) Decode(data []byte) (_ []byte, err error) {
	for i := len(c) - 1; i >= 0; i-- {
		if data, err = c[i].Decode(data); err != nil {
			return nil, err
		}
	}
	return data, nil
}
