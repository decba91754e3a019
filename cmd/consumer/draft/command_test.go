package draft

import (
	"path/filepath"
	"strings"
	"testing"
)

// A file that appears while the draft is made stays as it is.
func TestWriteOverNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "c.yaml")
	if err := Write(out, []byte("first"), false); err != nil {
		t.Fatal(err)
	}
	if err := Write(out, nil, false); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("a second draft: %v", err)
	}
}
