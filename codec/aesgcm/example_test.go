package aesgcm_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/turnstile-go/turnstile/codec/aesgcm"
)

func ExampleNew() {
	key, err := aesgcm.New("2026-11", []byte(strings.Repeat("k", aesgcm.KeySize))) // Use a random key from a secret store.
	if err != nil {
		log.Fatal(err)
	}
	sealed, err := key.Encode([]byte(`{"card":"4242"}`))
	if err != nil {
		log.Fatal(err)
	}
	plain, err := key.Decode(sealed)
	fmt.Println(key.Name(), len(sealed)-len(plain), string(plain), err)
	// Output: aesgcm:2026-11 28 {"card":"4242"} <nil>
}
