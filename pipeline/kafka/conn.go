package kafka

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/apiversions"
	"github.com/segmentio/kafka-go/protocol/saslauthenticate"
	"github.com/segmentio/kafka-go/protocol/saslhandshake"
	"github.com/segmentio/kafka-go/sasl"

	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/pipeline"
)

const (
	// dialTimeout bounds a connection, and then each answer until it is in order: one that logs in takes four.
	dialTimeout = 10 * time.Second
	// maxAnswer bounds what one answer may ask us to allocate: something that
	// is not a Kafka broker can answer any four bytes.
	maxAnswer = 1 << 29
	// compareListener is what to do about a broker that hangs up.
	compareListener = "compare the settings of TLS and SASL with the listener of this port"
	// startKafka is what to do about a broker that is not reached.
	startKafka = "start Kafka there, or correct kafka.brokers (--brokers); if that address is none of these, a broker advertises it: correct its advertised.listeners"
)

// spoken is the range of versions of each request that this package encodes
// and decodes alike. Every lower end is at or above what Apache Kafka 4 keeps.
var spoken = map[protocol.ApiKey][2]int16{
	protocol.Produce:          {3, 8},
	protocol.Fetch:            {11, fetchByID},
	protocol.ListOffsets:      {2, 5},
	protocol.Metadata:         {5, topicIDs},
	protocol.SaslHandshake:    {1, 1},
	protocol.CreateTopics:     {4, 5},
	protocol.DescribeConfigs:  {1, 3},
	protocol.SaslAuthenticate: {0, 1},
	protocol.FindCoordinator:  {1, 2},
	protocol.OffsetFetch:      {2, 5},
	protocol.OffsetCommit:     {2, 7},
	protocol.DescribeGroups:   {0, 4},
	protocol.DeleteGroups:     {0, 1},
	protocol.CreatePartitions: {0, 1},
	// Answers of 1 and later kafka-go takes apart in the wrong order, and loses the error.
	protocol.LeaveGroup: {0, 0},
	protocol.Heartbeat:  {0, 0},

	protocol.InitProducerId: {0, 1},

	protocol.OffsetForLeaderEpoch: {2, 3},
}

// conn is one connection to one broker, used by one goroutine at a time.
type conn struct {
	net      net.Conn
	in       *bufio.Reader
	addr     string
	clientID string
	last     int32           // correlation id
	request  protocol.ApiKey // with that id
	versions map[protocol.ApiKey]int16
	idle     time.Time     // since when it waits in the pool
	muted    time.Time     // until when the broker reads nothing from it
	each     time.Duration // bounds each answer; 0: who asks does
}

// dial connects, shakes hands and authenticates.
func (p *prepared) dial(ctx context.Context, addr string) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout+4*dialTimeout)
	defer cancel()
	dialling, dialled := context.WithTimeout(ctx, dialTimeout)
	raw, err := p.dialer.Dial(dialling, "tcp", addr)
	dialled()
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	c, err := p.greet(ctx, raw, addr)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = raw.Close()
		return nil, fmt.Errorf("broker %s: %w", addr, err)
	}
	return c, nil
}

// dialFor is dial for the library of groups: the connection is encrypted and has logged in.
func (p *prepared) dialFor(ctx context.Context, _, addr string) (net.Conn, error) {
	c, err := p.dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	return groupConn{c.net}, nil // nothing was read beyond the last answer
}

func (p *prepared) greet(ctx context.Context, raw net.Conn, addr string) (*conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	c := &conn{net: raw, in: bufio.NewReaderSize(raw, 16<<10), addr: addr, clientID: p.clientID, each: dialTimeout}
	defer func() {
		c.each = 0
		_ = raw.SetDeadline(time.Time{})
	}()
	if err := c.negotiate(); err != nil {
		return nil, access.HungUp(err, compareListener)
	}
	if p.sasl == nil {
		return c, nil
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return nil, err
	}
	ctx = sasl.WithMetadata(ctx, &sasl.Metadata{Host: host, Port: n})
	if err := c.authenticate(ctx, p.sasl); err != nil {
		return nil, fmt.Errorf("sasl %s: %w", p.sasl.Name(), err)
	}
	return c, nil
}

// negotiate picks the newest version of each request that both sides speak.
// A request that has none fails when it is used, by name.
func (c *conn) negotiate() error {
	answer, err := c.exchange(0, new(apiversions.Request))
	if err != nil {
		return err
	}
	r := answer.(*apiversions.Response)
	if r.ErrorCode != 0 {
		return kafka.Error(r.ErrorCode)
	}
	c.versions = make(map[protocol.ApiKey]int16, len(spoken))
	for _, k := range r.ApiKeys {
		key := protocol.ApiKey(k.ApiKey)
		if s, ok := spoken[key]; ok && k.MinVersion <= s[1] && k.MaxVersion >= s[0] {
			c.versions[key] = min(k.MaxVersion, s[1])
		}
	}
	return nil
}

func (c *conn) authenticate(ctx context.Context, m sasl.Mechanism) error {
	answer, err := c.call(&saslhandshake.Request{Mechanism: m.Name()})
	if err != nil {
		return err
	}
	if r := answer.(*saslhandshake.Response); r.ErrorCode != 0 {
		return fmt.Errorf("%w (the broker offers %v)", kafka.Error(r.ErrorCode), r.Mechanisms)
	}
	session, state, err := m.Start(ctx)
	for done := false; err == nil && !done; {
		if answer, err = c.call(&saslauthenticate.Request{AuthBytes: state}); err != nil {
			return err
		}
		r := answer.(*saslauthenticate.Response)
		if r.ErrorCode != 0 {
			answered(session, kafka.Error(r.ErrorCode))
			return coded(r.ErrorCode, r.ErrorMessage)
		}
		done, state, err = session.Next(ctx, r.AuthBytes)
	}
	return err
}

// version returns the version to speak of a request.
func (c *conn) version(key protocol.ApiKey) (int16, error) {
	v, ok := c.versions[key]
	if !ok {
		return 0, fmt.Errorf("%w: the broker does not speak %s in versions %d to %d",
			kafka.UnsupportedVersion, key, spoken[key][0], spoken[key][1])
	}
	return v, nil
}

// maxThrottle bounds what is believed of a throttle.
const maxThrottle = time.Minute

// throttled notes what an answer says of the time that the broker will not read from the
// connection, because a quota is used up. What is sent before would seem not to be
// answered; and a broker that does read would be asked again at once.
func (c *conn) throttled(d time.Duration) {
	if d > 0 {
		c.muted = time.Now().Add(min(d, maxThrottle))
	}
}

// unmuted waits until the broker reads again.
func (c *conn) unmuted(ctx context.Context) error {
	if d := time.Until(c.muted); d > 0 && pause(ctx, d) != nil {
		return fmt.Errorf("broker %s throttles this client id: a quota is used up, for another %s: %w",
			c.addr, time.Until(c.muted).Round(time.Second), ctx.Err())
	}
	return nil
}

// asked is the name of the last request.
func (c *conn) asked() string { return strings.ToLower(c.request.String()) }

// unanswered says of an error of time what was asked, and since when. Others stay as they are.
func (c *conn) unanswered(err error, begun time.Time) error {
	if !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("no answer to %s for %v: it is stopped, overloaded or behind a slow network: %w", c.asked(), time.Since(begun).Round(100*time.Millisecond), err)
}

// call sends a request and reads its answer. After an error that is not a
// kafka.Error the connection is of no more use.
func (c *conn) call(req protocol.Message) (protocol.Message, error) {
	v, err := c.version(req.ApiKey())
	if err != nil {
		return nil, err
	}
	return c.exchange(v, req)
}

func (c *conn) exchange(version int16, req protocol.Message) (_ protocol.Message, err error) {
	c.last++
	c.request = req.ApiKey()
	begun := time.Now()
	if c.each > 0 {
		if err := c.net.SetDeadline(begun.Add(c.each)); err != nil {
			return nil, err
		}
		defer func() { err = c.unanswered(err, begun) }()
	}
	if err := protocol.WriteRequest(c.net, version, c.last, c.clientID, req); err != nil {
		return nil, err
	}
	return c.answer(req.ApiKey(), version)
}

// answer reads the answer to the last request.
func (c *conn) answer(key protocol.ApiKey, version int16) (protocol.Message, error) {
	id, answer, err := protocol.ReadResponse(c.in, key, version)
	if err != nil {
		return nil, err
	}
	if id != c.last {
		return nil, fmt.Errorf("answer %d to request %d", id, c.last)
	}
	return answer, nil
}

// write writes a request that ends with pieces that need not be copied for it.
func (c *conn) write(key protocol.ApiKey, version int16, req *message, end ...[]byte) error {
	c.last++
	c.request = key
	frame := message{b: make([]byte, 4, 64+len(req.b))}
	frame.int32(int32(key)<<16 | int32(version))
	frame.int32(c.last)
	frame.text(c.clientID)
	frame.flexible = req.flexible
	frame.end()
	frame.b = append(frame.b, req.b...)
	binary.BigEndian.PutUint32(frame.b, uint32(len(frame.b)-4+lengthOf(end)))
	all := append(append(make(net.Buffers, 0, 1+len(end)), frame.b), end...)
	if _, plain := c.net.(*net.TCPConn); plain || len(end) == 0 {
		_, err := all.WriteTo(c.net)
		return err
	}
	w := bufio.NewWriterSize(c.net, 16<<10) // what encrypts takes each piece for a message
	_, err := all.WriteTo(w)
	return errors.Join(err, w.Flush())
}

// lengthOf returns the length of all pieces.
func lengthOf(pieces [][]byte) (n int) {
	for _, p := range pieces {
		n += len(p)
	}
	return n
}

// send writes a request and returns the length of its answer, behind the
// correlation id.
func (c *conn) send(key protocol.ApiKey, version int16, req *message) (int, error) {
	if err := c.write(key, version, req); err != nil {
		return 0, err
	}
	var head [8]byte
	if _, err := io.ReadFull(c.in, head[:]); err != nil {
		return 0, err
	}
	size, id := binary.BigEndian.Uint32(head[:]), int32(binary.BigEndian.Uint32(head[4:]))
	if size < 4 || size > maxAnswer || id != c.last {
		return 0, fmt.Errorf("answer %d of %d bytes to request %d", id, size, c.last)
	}
	return int(size - 4), nil
}

// callRaw sends a request and returns the bytes of its answer, behind the
// header. Each further megabyte has another limit to arrive in. An answer for
// which there is no room is read past: the connection stays in order. take is
// asked for its memory.
func (c *conn) callRaw(key protocol.ApiKey, version int16, req *message, limit time.Duration, room *pipeline.Room, take func(size int) []byte) ([]byte, error) {
	size, err := c.send(key, version, req)
	if err != nil {
		return nil, err
	}
	if short := room.Take(int64(size)); short != nil {
		if err := c.discard(size, limit); err != nil {
			return nil, err
		}
		return nil, short
	}
	body := take(size)
	err = c.pieces(size, limit, func(at, n int) error {
		_, err := io.ReadFull(c.in, body[at:at+n])
		return err
	})
	if err != nil {
		return nil, err
	}
	r := fields{rest: body, flexible: req.flexible}
	r.end()
	if r.short {
		return nil, errors.New("a short answer")
	}
	return r.rest, nil
}

// anew is memory for an answer that is nobody's yet.
func anew(size int) []byte { return make([]byte, size) }

// stream sends a request and returns its answer, behind the header, as it
// comes. It has to be read to its end.
func (c *conn) stream(key protocol.ApiKey, version int16, req *message) (*fields, error) {
	size, err := c.send(key, version, req)
	if err != nil {
		return nil, err
	}
	r := &fields{in: c, left: size, flexible: req.flexible}
	r.end()
	return r, nil
}

// discard reads past n bytes.
func (c *conn) discard(n int, limit time.Duration) error {
	return c.pieces(n, limit, func(_, n int) error {
		_, err := c.in.Discard(n)
		return err
	})
}

// pieces reads n bytes, a megabyte at a time, with a limit for each.
func (c *conn) pieces(size int, limit time.Duration, read func(at, n int) error) error {
	for at := 0; at < size; {
		n := min(size-at, 1<<20)
		if err := c.net.SetDeadline(time.Now().Add(limit)); err != nil {
			return err
		}
		if err := read(at, n); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// coded is the error of a code that is not zero, with the broker's words.
func coded(code int16, message string) error {
	if message == "" {
		return kafka.Error(code)
	}
	return fmt.Errorf("%w: %s", kafka.Error(code), message)
}
