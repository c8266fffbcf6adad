//go:build goexperiment.jsonv2

package bench

// jsonv2 says on which implementation encoding/json is.
const jsonv2 = true
