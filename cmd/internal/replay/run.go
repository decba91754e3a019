package replay

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/credence-stream/credence/pipeline"
)

// errKey reports a key that no consumer would take.
var errKey = errors.New("unusable key")

// errRun reports a run id that can't stand in the header credence-shard.
var errRun = errors.New("unusable run id")

var runPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// NewRun returns a fresh run id, 16 hex digits.
func NewRun() string {
	var b [8]byte
	// It never fails: the standard library ends the process instead.
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// replayed begins the ids of runs that replay dead letters.
const replayed = "dlq."

// CheckRun returns errRun unless id may name a run. Those of replayed dead letters are taken.
func CheckRun(id string) error {
	if !runPattern.MatchString(id) || strings.HasPrefix(id, replayed) {
		return fmt.Errorf("%w %q: want 1 to 64 letters, digits, '.', '_' or '-', not starting with %q", errRun, id, replayed)
	}
	return nil
}

// CheckKey returns errKey unless key is 1 to 512 bytes of UTF-8.
func CheckKey(key string) error {
	switch {
	case key == "":
		return fmt.Errorf("%w: it is empty", errKey)
	case len(key) > pipeline.MaxKey:
		return fmt.Errorf("%w: %d bytes, the limit is %d", errKey, len(key), pipeline.MaxKey)
	case !utf8.ValidString(key):
		return fmt.Errorf("%w: %q is not UTF-8", errKey, key)
	}
	return nil
}
