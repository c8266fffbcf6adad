package bench

import "encoding/json"

func encodeSample(i int) []byte {
	b, err := json.Marshal(sample(i))
	if err != nil {
		panic(err)
	}
	return b
}
