package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/twmb/franz-go/pkg/kfake"
)

// disk hears what the broker says of its files. Where it cannot write them it goes on and
// refuses whatever is produced, as in an outage, so that its clients would wait for ever.
type disk struct {
	once   sync.Once
	failed chan struct{} // closed once err is set
	err    error
}

func newDisk() *disk { return &disk{failed: make(chan struct{})} }

// Logf keeps the first error of a file. The broker has no other way to tell of one.
func (d *disk) Logf(level kfake.LogLevel, _ string, args ...any) {
	if level > kfake.LogLevelWarn {
		return
	}
	for _, arg := range args {
		err, _ := arg.(error)
		if path := new(fs.PathError); errors.As(err, &path) {
			d.once.Do(func() {
				d.err = fmt.Errorf("the broker inside the process can't keep its log: %w", path)
				close(d.failed)
			})
		}
	}
}

// Watch returns nil when ctx ends, or an error with path and cause once the broker could
// not write a file: from then on it keeps nothing that is produced.
func (e *Env) Watch(ctx context.Context) error {
	select {
	case <-e.kafka.disk.failed:
		return e.kafka.disk.err
	case <-ctx.Done():
		return nil
	}
}
