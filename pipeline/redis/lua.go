package redis

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strings"
)

// script is a Lua script, its name for metrics and the one that EVALSHA knows it by.
type script struct{ name, source, sha string }

func newScript(source string) script {
	sum := sha1.Sum([]byte(source))
	return script{source: source, sha: hex.EncodeToString(sum[:])}
}

func (s script) as(name string) script {
	s.name = name
	return s
}

// permitted looks whether each command that a script writes with may be given, before the
// first one is: the server asks that of one after the other, and undoes none. A call is a
// command with its arguments. Servers before Redis 7 cannot tell.
func permitted(calls ...string) string {
	var b strings.Builder
	b.WriteString("\nif redis.acl_check_cmd then\n")
	for _, call := range calls {
		command, _, _ := strings.Cut(call, ",")
		fmt.Fprintf(&b, "  if not redis.acl_check_cmd(%s) then return redis.error_reply('NOPERM this user may not give the command ' .. %s) end\n", call, command)
	}
	b.WriteString("end\n")
	return b.String()
}

// The scripts, each from its fragments in the order in which they act. A
// script looks at everything before it writes anything, because Redis does
// not undo what a failed script wrote. All keys are declared but the blobs
// that a script finds in pending or behind a pointer, whose names are known
// nowhere else, and the names under which a clear puts hashes aside: made with
// the prefix of a declared key they share its slot.
var (
	claimScript = newScript(
		readMeta +
			countFence +
			blobNames +
			readPending + sweep +
			takeOver).as("claim")
	loadScript = newScript(
		readFence +
			ownerFence + knownFence +
			listFence +
			blobNames +
			readValues).as("load")
	readScript = newScript(
		unlisted +
			blobNames +
			readValues).as("read")
	weighScript = newScript(
		blobNames +
			weighValues).as("weigh")
	announceScript = newScript(
		readFence +
			ownerFence + fromFence +
			announce).as("announce")
	saveScript = newScript(
		readFence +
			blobNames +
			findReplaced +
			ownerFence + fromFence +
			countFence +
			readPending +
			permitted("'UNLINK', KEYS[1]", "'HSET', KEYS[1], 'keys', '0'", "'HDEL', KEYS[1], 'keys'", "'ZADD', KEYS[3], '0', 'k'", "'ZREM', KEYS[3], 'k'", "'DEL', KEYS[2]") +
			blobFence +
			dropReplaced +
			writeChanges +
			sweep +
			answerOK).as("save")
	auditScript = newScript(
		readCounts +
			answerCounts).as("audit")
	clearScript = newScript(
		seenFence +
			blobNames +
			members + putAside).as("clear")
	dropScript = newScript(
		blobNames +
			members + dropOne).as("drop")
	layoutScript = newScript(`
local at, text = unpack(redis.call('HMGET', KEYS[1], 'partitions', 'layout'))
if (at or '') ~= ARGV[1] or (text or '') ~= ARGV[2] then return {'FENCED', 'the layout has changed meanwhile'} end
redis.call('HSET', KEYS[1], 'partitions', ARGV[3], 'layout', ARGV[4])
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], 'partitions') end
return {'OK'}
`).as("layout")
	pinScript = newScript(`
if redis.call('HGET', KEYS[1], 'partitions') == '' then redis.call('HDEL', KEYS[1], 'partitions') end
redis.call('HSETNX', KEYS[1], 'partitions', ARGV[1])
return {'OK', redis.call('HGET', KEYS[1], 'partitions')}
`).as("pin")
)

// Fences. Each returns before anything is written. A reply is a list whose
// first element is OK, FENCED, DAMAGED or UNWRITTEN.
const (
	// readFence reads what the fences compare. A partition without a
	// checkpoint has the watermark -1.
	readFence = `
local owner, at = unpack(redis.call('HMGET', KEYS[1], 'owner', 'watermark'))
at = at or '-1'
`
	// ownerFence: ARGV[1] is the token of the lease.
	ownerFence = `
if owner ~= ARGV[1] then return {'FENCED', 'another worker owns the partition'} end
`
	// fromFence: ARGV[2] is the watermark that the checkpoint starts from.
	fromFence = `
if at ~= ARGV[2] then return {'FENCED', 'the stored watermark is ' .. at .. ', not ' .. ARGV[2]} end
`
	// knownFence: ARGV[2] watermarks follow, one of which must be stored.
	knownFence = `
local known = false
for i = 3, 2 + tonumber(ARGV[2]) do known = known or at == ARGV[i] end
if not known then return {'FENCED', 'the stored watermark is ' .. at .. ', which this worker did not leave'} end
`
	readCounts = `
local held = 0
for i = 4, 259 do held = held + redis.call('HLEN', KEYS[i]) end
local counted, listed = redis.call('HGET', KEYS[1], 'keys') or '0', redis.call('ZCARD', KEYS[3])
`
	// countFence compares the number of keys in meta with what is there.
	countFence = readCounts + `
if held ~= tonumber(counted) or held ~= listed then
  return {'DAMAGED', 'meta counts ' .. counted .. ' keys, the hashes hold ' .. held .. ', the list ' .. listed}
end
`
	// listFence compares the number of keys in meta with that of the list, which takes no
	// time, and knows which keys the list has: KEYS[2]. One that has no value there has
	// lost it, and would begin anew as a key that never was.
	listFence = `
local counted, count = redis.call('HGET', KEYS[1], 'keys') or '0', redis.call('ZCARD', KEYS[2])
if count ~= tonumber(counted) then return {'DAMAGED', 'meta counts ' .. counted .. ' keys, the list holds ' .. count} end
local function listed(key) return #redis.call('ZRANGEBYLEX', KEYS[2], '[' .. key, '[' .. key, 'LIMIT', 0, 1) > 0 end
`
	// unlisted is for who reads without a claim, between the writes of others.
	unlisted = `
local function listed() return false end
`
	// blobFence makes sure that no pointer is written to a blob that is not
	// there in full: a server that lost its last second may have lost it.
	// The blobs are KEYS from 260 on.
	blobFence = `
for i = 1, blobs do
  if redis.call('STRLEN', KEYS[259 + i]) ~= tonumber(ARGV[4 + fields + i]) then return {'UNWRITTEN'} end
  fresh[KEYS[259 + i]] = true
end
`
)

// Reads and writes.
const (
	// readMeta answers at once when the layout is another one (ARGV[3]).
	readMeta = `
local meta = redis.call('HMGET', KEYS[1], 'owner', 'gen', 'watermark', 'origin', 'keys', 'last', 'fingerprints', 'gaps', 'format', 'topic', 'weights', 'minutes')
local reply = {'OK', unpack(meta)}
if meta[9] and meta[9] ~= ARGV[3] then return reply end
`
	// takeOver: ARGV[1] is the token, ARGV[2] the generation.
	takeOver = `
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'gen', ARGV[2])
return reply
`
	// blobNames finds what a key's value points to, nil where it is no pointer,
	// and how long the value is. A pointer is never longer than 160 bytes; that
	// spares reading values. Of fresh blobs the script knows that they are
	// pointed to. Of a blob of which somebody has made something else the script
	// says which it is: its name is known nowhere else.
	blobNames = `
local prefix = string.sub(KEYS[1], 1, -5)
local fresh = {}
local function blob(key, ref) return prefix .. 'blob:' .. key .. ':' .. ref end
local function pointed(hash, key)
  local n = redis.call('HSTRLEN', hash, key)
  if n == 0 or n > 160 then return nil, n end
  local cell = redis.call('HGET', hash, key)
  if string.byte(cell) ~= 1 then return nil, n end
  return string.sub(cell, 2), n
end
local function length(key, ref)
  local name = blob(key, ref)
  local n = redis.pcall('STRLEN', name)
  if type(n) == 'number' then return n end
  if not string.find(n.err, 'WRONGTYPE') then return 0, n end
  return 0, {'DAMAGED', 'somebody has made something else of the Redis key ' .. name .. ', which is a string: ' .. n.err, key}
end
`
	// readPending comes before anything is written: somebody may have made another thing of
	// the set.
	readPending = `
local announced = redis.call('SMEMBERS', KEYS[2])
`
	// sweep deletes every blob that was announced and that no value points
	// to. In a claim these are a dead worker's; after a save they are left
	// from attempts of the same worker that did not come to an end.
	// An entry of pending is <bucket>:<key>:<token>:<offset>.
	sweep = `
for _, entry in ipairs(announced) do
  local b, key, ref = string.match(entry, '^(%d+):(.*):([^:]*:%d+)$')
  local name = blob(key, ref)
  if not fresh[name] and pointed(KEYS[4 + tonumber(b)], key) ~= ref then redis.call('UNLINK', name) end
end
redis.call('DEL', KEYS[2])
`
	// readValues: after ARGV[2] watermarks come the bytes that the values may
	// add up to, those behind pointers too, then pairs of a place in KEYS and a
	// key. It stops before the first value that is too much, but not before the
	// first of all. A value that is absent is a null, unless its key is listed.
	readValues = `
local reply, first = {'OK'}, 3 + tonumber(ARGV[2])
local left = tonumber(ARGV[first])
for i = first + 1, #ARGV, 2 do
  local hash, key = KEYS[tonumber(ARGV[i])], ARGV[i + 1]
  local ref, n = pointed(hash, key)
  local size, other = n, nil
  if ref then size, other = length(key, ref) end
  if other then return other end
  left = left - size
  if left < 0 and #reply > 1 then break end
  if n == 0 and listed(key) then return {'DAMAGED', 'a key is listed and has no value', key} end
  reply[#reply + 1] = redis.call('HGET', hash, key)
end
return reply
`
	// weighValues: the arguments are pairs of a place in KEYS and a key. A value that is
	// no pointer has one byte before it.
	weighValues = `
local sum = 0
for i = 1, #ARGV, 2 do
  local hash, key = KEYS[tonumber(ARGV[i])], ARGV[i + 1]
  local ref, n = pointed(hash, key)
  local size, other = math.max(n - 1, 0), nil
  if ref then size, other = length(key, ref) end
  if other then return other end
  sum = sum + size
end
return {'OK', string.format('%d', sum)}
`
	// announce notes each blob in pending and makes it, empty. The value is
	// then written only where this empty blob still is, so a worker that wakes
	// up after a claim swept its blobs cannot bring one back. KEYS[2] is
	// pending, the blobs follow; their entries are ARGV from 3 on. It answers the
	// sums of what blobs have that are there: of a save that did not come to its end.
	announce = `
local sums = {'OK'}
for i = 3, #ARGV do
  redis.call('SADD', KEYS[2], ARGV[i])
  redis.call('SET', KEYS[i], '', 'NX')
  local n = redis.pcall('STRLEN', KEYS[i])
  sums[#sums + 1] = type(n) == 'number' and n > 0 and redis.sha1hex(redis.call('GET', KEYS[i])) or ''
end
return sums
`
	// findReplaced reads the rest of the arguments. ARGV[3] words of meta
	// follow, then the number of new blobs and their lengths, then the changes,
	// bucket by bucket: its number, how many values to set and to delete,
	// pairs of key and value, keys.
	// It notes which keys appear, which go and which blobs lose their
	// pointer.
	findReplaced = `
local fields = tonumber(ARGV[3])
local blobs = tonumber(ARGV[4 + fields])
local first = 5 + fields + blobs
local appeared, gone, replaced = {}, {}, {}
local function had(hash, key)
  local ref, n = pointed(hash, key)
  if ref then replaced[#replaced + 1] = blob(key, ref) end
  return n > 0
end
local at_change = first
while at_change <= #ARGV do
  local hash = KEYS[4 + tonumber(ARGV[at_change])]
  local set = at_change + 3
  local del = set + 2 * tonumber(ARGV[at_change + 1])
  at_change = del + tonumber(ARGV[at_change + 2])
  for i = set, del - 1, 2 do
    if not had(hash, ARGV[i]) then
      appeared[#appeared + 1] = '0'
      appeared[#appeared + 1] = ARGV[i]
    end
  end
  for i = del, at_change - 1 do
    if had(hash, ARGV[i]) then gone[#gone + 1] = ARGV[i] end
  end
end
`
	// dropReplaced deletes the blobs that lose their pointer in this script. One that is
	// written again under its name keeps it.
	dropReplaced = `
local kept = 0
for i = 1, #replaced do
  if fresh[replaced[i]] then kept = kept + 1 else replaced[i - kept] = replaced[i] end
end
for i = #replaced, #replaced - kept + 1, -1 do replaced[i] = nil end
for i = 1, #replaced, 4000 do redis.call('UNLINK', unpack(replaced, i, math.min(i + 3999, #replaced))) end
`
	// writeChanges gives a call at most 4,000 arguments, because Lua's stack
	// takes no more than twice as many.
	writeChanges = `
local function each(command, key, list, from, to)
  local changed = 0
  for i = from, to, 4000 do changed = changed + redis.call(command, key, unpack(list, i, math.min(i + 3999, to))) end
  return changed
end
at_change = first
while at_change <= #ARGV do
  local hash = KEYS[4 + tonumber(ARGV[at_change])]
  local set = at_change + 3
  local del = set + 2 * tonumber(ARGV[at_change + 1])
  at_change = del + tonumber(ARGV[at_change + 2])
  held = held + each('HSET', hash, ARGV, set, del - 1) - each('HDEL', hash, ARGV, del, at_change - 1)
end
each('ZADD', KEYS[3], appeared, 1, #appeared)
each('ZREM', KEYS[3], gone, 1, #gone)
redis.call('HSET', KEYS[1], 'keys', string.format('%d', held), unpack(ARGV, 4, 3 + fields))
`
	// answerCounts puts the entries of pending in one by one: unpack takes no
	// more than some 8,000.
	answerCounts = `
local reply = {'OK', counted, tostring(held), tostring(listed)}
for _, entry in ipairs(redis.call('SMEMBERS', KEYS[2])) do reply[#reply + 1] = entry end
return reply
`
	// seenFence: ARGV[3] and ARGV[4] are owner and watermark as they were
	// seen, '' where there was none, or something else than a meta.
	seenFence = `
local meta = redis.pcall('HMGET', KEYS[1], 'owner', 'watermark')
if meta.err then
  if not string.find(meta.err, 'WRONGTYPE') then return meta end
  meta = {}
end
local owner, at = unpack(meta, 1, 2)
if (owner or '') ~= ARGV[3] or (at or '') ~= ARGV[4] then
  return {'FENCED', 'the partition was claimed or saved meanwhile: owner ' .. (owner or 'none') .. ', watermark ' .. (at or 'none')}
end
`
	// members asks for what is in a key, and takes one of another type for empty.
	members = `
local function members(command, key)
  local got = redis.pcall(command, key)
  if not got.err then return got end
  if string.find(got.err, 'WRONGTYPE') then return {} end
  error(got.err)
end
`
	// putAside leaves nothing of the partition but the meta's new owner:
	// ARGV[1] is the token, ARGV[2] the generation. The hashes only get
	// another name, which takes no time. A set that is something else by now has no blobs.
	putAside = `
local announced = members('SMEMBERS', KEYS[2])
for i = 4, 259 do
  if redis.call('EXISTS', KEYS[i]) == 1 then redis.call('RENAME', KEYS[i], prefix .. 'aside:' .. ARGV[1] .. ':' .. (i - 4)) end
end
for _, entry in ipairs(announced) do
  local key, ref = string.match(entry, '^%d+:(.*):([^:]*:%d+)$')
  if key then redis.call('UNLINK', blob(key, ref)) end
end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'gen', ARGV[2])
redis.call('SADD', prefix .. 'aside', ARGV[1])
return {'OK'}
`
	// dropOne deletes a hash, KEYS[2], and the blobs that it points to, or what somebody has
	// made of it.
	dropOne = `
for _, key in ipairs(members('HKEYS', KEYS[2])) do
  local ref = pointed(KEYS[2], key)
  if ref then redis.call('UNLINK', blob(key, ref)) end
end
redis.call('UNLINK', KEYS[2])
return {'OK'}
`
	answerOK = `
return {'OK'}
`
)
