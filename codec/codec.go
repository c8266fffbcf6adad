package codec

import "strings"

// Codec is one way to write payloads: an algorithm with a key, or without.
// Its methods are called from several goroutines at once.
type Codec interface {
	// Name is the mark that stands beside every payload it has encoded, and by
	// which it is found again. It never changes its meaning; with a key it
	// names the key. 1 to 256 bytes of UTF-8 without control characters.
	// Names that begin with "blob" are reserved.
	Name() string
	// Encode returns another form of a payload, which is JSON. Two calls with
	// one payload need not give the same. It keeps nothing of plain and does
	// not change it.
	Encode(plain []byte) ([]byte, error)
	// Decode returns the payload again, to the byte. What Encode has not made
	// is an error, and never a guess.
	Decode(encoded []byte) ([]byte, error)
}

// Chain returns the codec that encodes by each of the codecs, one after the
// other, and decodes the other way round. Its name joins theirs with a plus.
// Put the codec that compresses before the one that encrypts:
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
