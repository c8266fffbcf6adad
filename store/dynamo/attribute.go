package dynamo

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// attributes is an item in the form that the SDK uses.
type attributes = map[string]types.AttributeValue

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func flag() types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: true} }

func textOf(item attributes, name string) string {
	if v, ok := item[name].(*types.AttributeValueMemberS); ok {
		return v.Value
	}
	return ""
}

func numberOf(item attributes, name string) int64 {
	if v, ok := item[name].(*types.AttributeValueMemberN); ok {
		if n, err := strconv.ParseInt(v.Value, 10, 64); err == nil {
			return n
		}
	}
	return 0
}

func flagOf(item attributes, name string) bool {
	v, ok := item[name].(*types.AttributeValueMemberBOOL)
	return ok && v.Value
}

// compressor encodes bytes as an attribute: text as it is, or gzip.
type compressor struct {
	over    int
	writers sync.Pool // of *gzip.Writer
}

// value returns b as S, or as B with gzip if b is not text, or if b exceeds the threshold and gzip
// makes it smaller.
func (c *compressor) value(b []byte) types.AttributeValue {
	isText := utf8.Valid(b)
	if isText && len(b) <= c.over {
		return text(string(b))
	}
	if z := c.compress(b); !isText || len(z) < len(b) {
		return &types.AttributeValueMemberB{Value: z}
	}
	return text(string(b))
}

// estimate returns the approximate size of the value of b: at most the length of b if an item can
// hold that; otherwise estimate compresses a sample from the middle of b. So a turn that has to be
// split is not compressed twice.
func (c *compressor) estimate(b []byte) int {
	const sample = 32 << 10
	if len(b) <= MaxItem {
		return len(b)
	}
	middle := len(b) / 2
	return len(b) / sample * len(c.compress(b[middle:middle+sample]))
}

func (c *compressor) compress(b []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(b)/4 + 64)
	w, _ := c.writers.Get().(*gzip.Writer)
	if w == nil {
		w = gzip.NewWriter(&out)
	} else {
		w.Reset(&out)
	}
	// Writing to a bytes.Buffer cannot fail.
	_, _ = w.Write(b)
	_ = w.Close()
	c.writers.Put(w)
	return out.Bytes()
}

// bytesOf decodes what compressor encoded; nil if the attribute is absent.
func bytesOf(item attributes, name string) ([]byte, error) {
	switch v := item[name].(type) {
	case nil:
		return nil, nil
	case *types.AttributeValueMemberS:
		return []byte(v.Value), nil
	case *types.AttributeValueMemberB:
		r, err := gzip.NewReader(bytes.NewReader(v.Value))
		if err != nil {
			return nil, fmt.Errorf("attribute %s is not gzip: %w", name, err)
		}
		// The last four bytes are the length of the content; used only as a hint.
		var b bytes.Buffer
		if n := len(v.Value); n > 4 {
			b.Grow(int(min(binary.LittleEndian.Uint32(v.Value[n-4:]), 8<<20)) + bytes.MinRead)
		}
		if _, err := b.ReadFrom(r); err != nil {
			return nil, fmt.Errorf("attribute %s is damaged gzip: %w", name, err)
		}
		return b.Bytes(), nil
	default:
		return nil, fmt.Errorf("attribute %s is a %T, neither S nor B", name, v)
	}
}
