// Package archive has what the archives of a folder and of a bucket share: how a document
// of it is named.
package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Name is the name of the document of an execution, <instance>/<execution>.json, in a
// folder and in a bucket alike, so that a copy of the one is the other. In the name of an
// instance bytes that are not lower-case letters, digits, "-", "_" and "~" are escaped as in
// a URL; one that would be longer than 200 bytes is "sha256-" and the hash of the id in hex.
// Of two ids that differ in upper and lower case alone the names differ by more, because some
// file systems do not tell cases apart.
func Name(instance string, executionID int64) string {
	return folder(instance) + "/" + strconv.FormatInt(executionID, 10) + ".json"
}

func folder(instance string) string {
	const plain = "abcdefghijklmnopqrstuvwxyz0123456789-_~"
	var name strings.Builder
	for i := range len(instance) {
		if c := instance[i]; strings.IndexByte(plain, c) >= 0 {
			name.WriteByte(c)
		} else {
			fmt.Fprintf(&name, "%%%02X", c)
		}
	}
	if name.Len() <= 200 {
		return name.String()
	}
	sum := sha256.Sum256([]byte(instance))
	return "sha256-" + hex.EncodeToString(sum[:])
}
