package deadletters

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink"
)

// Keys that are not UTF-8 are told apart, and what is printed of one names it and no other; those that
// are UTF-8 are printed as they are.
func TestKeysThatAreNotUTF8(t *testing.T) {
	keys := []string{"a", "a\xff", "a\xfe", "\xffa", "a\ufffd", `a\xff`, "é\n"}
	seen := map[string]string{}
	for _, key := range keys {
		line := newLetterLine(pipeline.Partition{}, &pipeline.Record{Key: []byte(key)}, &sink.Letter{}, "open")
		shown := *line.Key
		if other, twice := seen[shown]; twice {
			t.Errorf("%q and %q are both printed as %s", key, other, shown)
		}
		seen[shown] = key
		for _, other := range keys {
			if got := keyMatches(shown, []byte(other)); got != (other == key) {
				t.Errorf("--key %s of %q takes %q: %v", shown, key, other, got)
			}
		}
		var back struct {
			Key      string
			KeyBytes []byte `json:"key_bytes"`
		}
		text, err := json.Marshal(line)
		if err != nil || json.Unmarshal(text, &back) != nil {
			t.Fatal(err)
		}
		if invalid := strings.ToValidUTF8(key, "") != key; invalid != (string(back.KeyBytes) == key) || !invalid && back.Key != key {
			t.Errorf("%q is %s", key, text)
		}
	}
	if !keyMatches("", []byte("\xff")) || !keyMatches("a*", []byte("a\xff")) {
		t.Error("a pattern of all keys, or of those with a beginning, leaves one out")
	}
}
