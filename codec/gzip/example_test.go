package gzip_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/turnstile-go/turnstile/codec/gzip"
)

func ExampleNew() {
	c := gzip.New()
	list := []byte(`["` + strings.Repeat("the same again, ", 1000) + `"]`)
	encoded, err := c.Encode(list)
	if err != nil {
		log.Fatal(err)
	}
	plain, err := c.Decode(encoded)
	fmt.Println(len(encoded) < len(list)/50, len(plain) == len(list), err)
	// Output: true true <nil>
}
