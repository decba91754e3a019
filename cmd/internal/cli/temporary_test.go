package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTemporaryFilesNeedRoom(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", filepath.Join(dir, "none"))
	_, err := os.MkdirTemp("", "x-*")
	if err = Temporary(err); err == nil || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "folder that TMPDIR names") {
		t.Errorf("of a folder that is not there: %v", err)
	}
	if _, err = os.Open(filepath.Join(dir, "data.csv")); err == nil || Temporary(err).Error() != err.Error() {
		t.Errorf("an error of another file becomes %v", Temporary(err))
	}
	if Temporary(nil) != nil {
		t.Error("no error is one")
	}
}
