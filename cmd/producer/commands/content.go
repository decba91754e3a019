package commands

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
)

// marked is a run id that was given to a file: behind it stands what the file's shards are made of.
var marked = regexp.MustCompile(`^[0-9a-f]{16}-([0-9a-f]{8})$`)

// errOther reports a run that was of other shards.
var errOther = errors.New("--run-id is of other shards")

// ends is how many bytes of each end of a file tell it from others.
const ends = 64 << 10

// mark completes the id of a new run by what its shards are made of, and refuses a run that was of others: a consumer skips
// as many shards of a key as it has applied of the run, whatever is in them. Ids that users choose say nothing.
func (f *replayFlags) mark() error {
	print, err := f.content()
	if err != nil {
		return err
	}
	if f.fresh {
		f.run += "-" + print
		return nil
	}
	if of := marked.FindStringSubmatch(f.run); of != nil && of[1] != print {
		return fmt.Errorf("%w: %s began with another file than %s is now, or with another --rows, key or selection of columns and values, and the consumer would skip rows that it never had: "+
			"repeat that command as it was, or leave --run-id out, which sends all rows as new ones (of a file that has grown, send the new rows as a file of their own)", errOther, f.run, f.input)
	}
	return nil
}

// named reports whether the run may be of other shards, which only its user knows.
func (f *replayFlags) named() bool { return !f.fresh && !marked.MatchString(f.run) }

// content is a digest of what the shards are made of: flags, and length and ends of the file.
func (f *replayFlags) content() (string, error) {
	file, err := os.Open(f.input)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%d %q %d\n", f.rows, []any{f.KeyColumn, f.Key, f.Prefix, f.Columns, f.Null, f.Text, f.Decimal, f.DateOrder, f.NoKey}, info.Size())
	for _, from := range [...]int64{0, max(0, info.Size()-ends)} {
		if _, err := io.Copy(h, io.NewSectionReader(file, from, ends)); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:4]), nil
}
