package choice

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
)

// Format writes decisions as text without blanks: the argument of -choices.
func Format(made []Decision) string {
	b := []byte{choicesVersion}
	for _, d := range made {
		b = binary.LittleEndian.AppendUint16(b, uint16(d.At>>32))
		b = binary.BigEndian.AppendUint32(b, uint32(d.At))
		b = binary.AppendUvarint(b, uint64(d.Nth))
		b = binary.AppendUvarint(b, uint64(d.Value))
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// choicesVersion changes when earlier texts can no longer be read.
const choicesVersion = 2

// Parse reads the output of Format.
func Parse(text string) ([]Decision, error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("choices: %w; copy the whole text", err)
	}
	if len(b) == 0 || b[0] != choicesVersion {
		return nil, fmt.Errorf("choices: this text is of another version of the simulation; shrink its seed again")
	}
	var made []Decision
	for b = b[1:]; len(b) > 0; {
		if len(b) < 8 {
			return nil, fmt.Errorf("choices: the text ends within choice %d; copy the whole text", len(made)+1)
		}
		d := Decision{At: Spot(binary.LittleEndian.Uint16(b))<<32 | Spot(binary.BigEndian.Uint32(b[2:]))}
		b = b[6:]
		for _, to := range []*int{&d.Nth, &d.Value} {
			v, n := binary.Uvarint(b)
			if n <= 0 || v > math.MaxInt32 {
				return nil, fmt.Errorf("choices: choice %d can't be read; copy the whole text", len(made)+1)
			}
			*to, b = int(v), b[n:]
		}
		made = append(made, d)
	}
	return made, nil
}
