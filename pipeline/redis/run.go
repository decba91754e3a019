package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
)

// once is a command that is sent at most once. The cluster client repeats a
// command whose reply was lost, whatever its options say, and the repeat of
// a save that had been applied is fenced: the caller would take its own
// success for a stranger's.
type once struct {
	*goredis.Cmd
	script string // its name
}

// NoRetry tells the client.
func (once) NoRetry() bool { return true }

// errUnwritten reports a blob that is gone between its writing and the save.
var errUnwritten = errors.New("a blob of the checkpoint is not in the store: save again")

// run runs a script and returns its reply after the leading OK.
func (s *Store) run(ctx context.Context, sc script, keys []string, args []any) ([]any, error) {
	if err := oneTag(keys); err != nil {
		return nil, err
	}
	words := make([]any, 0, 3+len(keys)+len(args))
	words = append(words, "evalsha", sc.sha, len(keys))
	for _, key := range keys {
		words = append(words, key)
	}
	words = append(words, args...)
	reply, err := s.eval(ctx, sc.name, words)
	if goredis.HasErrorPrefix(err, "NOSCRIPT") {
		words[0], words[1] = "eval", sc.source
		reply, err = s.eval(ctx, sc.name, words)
	}
	if err != nil {
		return nil, s.named(ctx, err, keys...)
	}
	if len(reply) == 0 {
		return nil, errors.New("a script answered nothing")
	}
	switch reply[0] {
	case "OK":
		return reply[1:], nil
	case "FENCED":
		return nil, fmt.Errorf("%w: %s", pipeline.ErrFenced, textAt(reply, 1))
	case "DAMAGED":
		if key := textAt(reply, 2); key != "" {
			return nil, fmt.Errorf("%w: key %q: %s", pipeline.ErrDamaged, key, textAt(reply, 1))
		}
		return nil, fmt.Errorf("%w: %s", pipeline.ErrDamaged, textAt(reply, 1))
	case "UNWRITTEN":
		return nil, errUnwritten
	}
	return nil, fmt.Errorf("a script answered %v", reply[0])
}

func (s *Store) eval(ctx context.Context, name string, words []any) ([]any, error) {
	cmd := goredis.NewCmd(ctx, words...)
	cmd.SetFirstKeyPos(3)
	// The error is in the command as well, where Slice finds it.
	_ = s.client.Process(ctx, once{cmd, name})
	return cmd.Slice()
}

// textAt returns element i of a reply, "" where it is null or absent.
func textAt(reply []any, i int) string {
	if i < len(reply) {
		if text, ok := reply[i].(string); ok {
			return text
		}
	}
	return ""
}

// scanInt reads element i of a reply; null leaves dst as it is.
func scanInt[T int | int32 | int64](reply []any, i int, dst *T) error {
	text := textAt(reply, i)
	if text == "" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && int64(T(n)) != n {
		err = strconv.ErrRange
	}
	if err != nil {
		return fmt.Errorf("%w: not a number", pipeline.ErrDamaged)
	}
	*dst = T(n)
	return nil
}
