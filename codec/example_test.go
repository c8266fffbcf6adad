package codec_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/aesgcm"
	"github.com/turnstile-go/turnstile/codec/gzip"
)

// A set that encodes with compression and encryption, and still decodes payloads of the previous
// key. Give it to embedded.WithCodecs, awslambda.WithCodecs and client.Config.
func Example() {
	before, err := aesgcm.New("2026-10", []byte(strings.Repeat("a", aesgcm.KeySize)))
	if err != nil {
		log.Fatal(err)
	}
	now, err := aesgcm.New("2026-11", []byte(strings.Repeat("b", aesgcm.KeySize)))
	if err != nil {
		log.Fatal(err)
	}
	set, err := codec.NewSet(codec.Chain(gzip.New(), now), codec.Chain(gzip.New(), before))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(set.Names())
	// Output: [gzip+aesgcm:2026-10 gzip+aesgcm:2026-11]
}

// reversed is a custom codec. A real one would encrypt.
type reversed struct{}

func (reversed) Name() string { return "reversed" }

func (reversed) Encode(plain []byte) ([]byte, error) {
	out := make([]byte, len(plain))
	for i, b := range plain {
		out[len(plain)-1-i] = b
	}
	return out, nil
}

func (r reversed) Decode(encoded []byte) ([]byte, error) { return r.Encode(encoded) }

func ExampleCodec() {
	sealed, err := reversed{}.Encode([]byte(`{"card":"4242"}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", sealed)
	// Output: }"2424":"drac"{
}
