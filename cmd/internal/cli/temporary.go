package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Temporary adds to an error of a temporary file what can be done about it; others it
// returns as they are.
func Temporary(err error) error {
	path, dir := new(fs.PathError), os.TempDir()
	if !errors.As(err, &path) || !strings.HasPrefix(path.Path, dir) {
		return err
	}
	return fmt.Errorf("%w; temporary files need room in %s, or in the folder that TMPDIR names", err, dir)
}
