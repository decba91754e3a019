package kafka

import (
	"bytes"
	"encoding/binary"
	"net"

	"github.com/segmentio/kafka-go/protocol"
)

// groupConn is a connection of the group library. Its requests for a topic's partitions have brokers create a topic that
// they do not have, where auto.create.topics.enable is true, as it is by default: a topic that somebody has deleted, or
// whose name is misspelt, would come into being with the brokers' number of partitions, and nobody would be told.
type groupConn struct{ net.Conn }

func (c groupConn) Write(b []byte) (int, error) { return c.Conn.Write(creatingNothing(b)) }

// creatingNothing returns a request as it is to be sent: one for metadata, of the version that the library speaks, ends
// with the byte that lets brokers create topics.
func creatingNothing(request []byte) []byte {
	const size, head = 4, 8 // size, key and version, of big-endian numbers
	if len(request) < head || int64(binary.BigEndian.Uint32(request)) != int64(len(request)-size) ||
		binary.BigEndian.Uint16(request[size:]) != uint16(protocol.Metadata) || binary.BigEndian.Uint16(request[size+2:]) != 6 {
		return request
	}
	request = bytes.Clone(request)
	request[len(request)-1] = 0
	return request
}
