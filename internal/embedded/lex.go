package embedded

import (
	"bufio"
	"bytes"
	"slices"
	"strings"

	"github.com/alicebob/miniredis/v2/server"
)

// longest is more bytes than a member of a sorted set has.
const longest = 1024

// lex returns a hook that answers commands about sorted sets in order of their members as Redis
// does, where miniredis does not: it takes "[+" and "(-" for the ends of the set, which in Redis are "+" and
// "-" alone, so that a list of keys ended at a key "+" and began anew at a key "-". And it sorts
// all members whenever it is asked for some, which took most of the time of a process with 50,000 keys: a
// checkpoint asks of each new key whether it is a member.
func lex(s *server.Server) server.Hook {
	return func(c *server.Peer, command string, args ...string) bool {
		if command != "ZRANGEBYLEX" && command != "ZLEXCOUNT" || len(args) < 3 {
			return false
		}
		if command == "ZRANGEBYLEX" && args[1] == args[2] && strings.HasPrefix(args[1], "[") && slices.Equal(args[3:], []string{"LIMIT", "0", "1"}) {
			return member(s, c, args[0], args[1][1:])
		}
		least, most := border(args[1], true), border(args[2], false)
		if least == args[1] && most == args[2] {
			return false
		}
		s.Dispatch(c, append([]string{command, args[0], least, most}, args[3:]...))
		return true
	}
}

// border returns a bound that says the same as s, the least or the greatest, of members
// shorter than longest, and that miniredis does not take for an end of the set.
func border(s string, least bool) string {
	if s != "[+" && s != "[-" && s != "(+" && s != "(-" {
		return s
	}
	above := (s[0] == '(') == least
	switch {
	case above && least:
		return "[" + s[1:] + "\x00"
	case above:
		return "(" + s[1:] + "\x00"
	}
	return "(" + string(s[1]-1) + strings.Repeat("\xff", longest)
}

// member answers with the one member that is name, or with none. It reports whether it
// has answered.
func member(s *server.Server, c *server.Peer, set, name string) bool {
	var reply bytes.Buffer
	w := bufio.NewWriter(&reply)
	asked := server.NewPeer(w)
	asked.Ctx = c.Ctx // of the script that asks, which holds the lock of the server
	s.Dispatch(asked, []string{"ZSCORE", set, name})
	asked.Flush()
	switch {
	case !strings.HasPrefix(reply.String(), "$"):
		return false
	case strings.HasPrefix(reply.String(), "$-1"):
		c.WriteLen(0)
	default:
		c.Block(func(w *server.Writer) {
			w.WriteLen(1)
			w.WriteBulk(name)
		})
	}
	return true
}
