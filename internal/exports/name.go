package exports

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Name returns the name of the document of an execution in an archive, <instance>/<execution>.json. It is the same in
// a folder and in a bucket, so one can be copied to the other. In the name of an instance, bytes other
// than lower-case letters, digits, "-", "_" and "~" are escaped as in a URL; a name that would be
// longer than 200 bytes is "sha256-" and the hash of the id in hex. Two ids that differ only in case
// get names that differ in more than case, because some file systems are not case-sensitive.
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
