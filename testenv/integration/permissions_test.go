//go:build unix

package integration

import (
	"bytes"
	"context"
	"crypto/pbkdf2"
	"crypto/sha512"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/compose"
	"github.com/credence-stream/credence/testenv/probe"
	"github.com/credence-stream/credence/testenv/programs"
)

// guardedServers are servers with a second address, where clients have names.
type guardedServers interface{ GuardedBrokers() []string }

// permission is a row of the table of docs/howto/security.md.
type permission struct{ user, resource, name, operation string }

func (p permission) String() string {
	return fmt.Sprintf("%s: %s %s on %s", p.user, p.operation, p.name, p.resource)
}

var permissionRow = regexp.MustCompile("(?m)^\\| `(credence|producer)` \\| (topic|group) `([^`]+)` \\| `([A-Z_]+)` \\|")

// guardedWorld is a world whose programs are users with permissions.
type guardedWorld struct {
	*world
	bootstrap string
	password  string // a file
	store     string // URL with the user of the documentation's rule
	rows      []permission
}

const secret = "a secret of this test"

func page(t *testing.T) string {
	t.Helper()
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(root, "docs/howto/security.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// eachGuarded runs a test on all servers that have users.
func eachGuarded(t *testing.T, f func(t *testing.T, w *guardedWorld)) {
	t.Helper()
	each(t, func(t *testing.T, env *testenv.Env) {
		servers, ok := env.Servers.(guardedServers)
		if !ok {
			t.Logf("NOT TESTED: the %s servers have no users", env.Backend)
			return
		}
		f(t, newGuardedWorld(t, env, servers))
	})
}

func newGuardedWorld(t *testing.T, env *testenv.Env, servers guardedServers) *guardedWorld {
	t.Helper()
	own := newWorld(t, env, setup{partitions: 1})
	own.input += "2" // which nobody has created
	own.file = own.configure(t, setup{models: anyModel})
	w := own.guarded(t, servers)
	_, rule, _ := strings.Cut(page(t), "ACL SETUSER credence on >PASSWORD ")
	rule, _, _ = strings.Cut(rule, "```")
	args := []any{"acl", "setuser", w.group, "on", ">" + secret}
	for word := range strings.FieldsSeq(rule) {
		args = append(args, word)
	}
	if err := w.world.store.Do(t.Context(), args...).Err(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.world.store.Do(context.WithoutCancel(t.Context()), "acl", "deluser", w.group) })
	w.store = strings.Replace(env.RedisURL(), "://", "://"+w.group+"@", 1)
	return w
}

// guarded gives the users of docs/howto/security.md their permissions in Kafka.
func (w *world) guarded(t *testing.T, servers guardedServers) *guardedWorld {
	t.Helper()
	g := &guardedWorld{world: w, bootstrap: servers.GuardedBrokers()[0], password: filepath.Join(w.dir, "password")}
	if err := os.WriteFile(g.password, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, m := range permissionRow.FindAllStringSubmatch(page(t), -1) {
		g.rows = append(g.rows, permission{m[1], m[2], m[3], m[4]})
	}
	if len(g.rows) == 0 {
		t.Fatal("docs/howto/security.md has no table of permissions")
	}
	for _, user := range []string{"credence", "producer"} {
		g.enrol(t, g.user(user), secret)
	}
	for _, p := range g.rows {
		g.grant(t, p)
	}
	return g
}

func (w *guardedWorld) user(role string) string { return w.group + "-" + role }

// enrol gives a user a password.
func (w *guardedWorld) enrol(t *testing.T, user, password string) {
	t.Helper()
	salt := []byte("of no use elsewhere")
	salted, err := pbkdf2.Key(sha512.New, password, salt, 4096, sha512.Size)
	if err != nil {
		t.Fatal(err)
	}
	req := kmsg.NewPtrAlterUserSCRAMCredentialsRequest()
	up := kmsg.NewAlterUserSCRAMCredentialsRequestUpsertion()
	up.Name, up.Mechanism, up.Iterations, up.Salt, up.SaltedPassword = user, 2, 4096, salt, salted
	req.Upsertions = append(req.Upsertions, up)
	resp, err := req.RequestWith(t.Context(), w.kafka)
	if err == nil {
		err = kerr.ErrorForCode(resp.Results[0].ErrorCode)
	}
	if err != nil {
		t.Fatal(err)
	}
	ask := kmsg.NewPtrDescribeUserSCRAMCredentialsRequest()
	one := kmsg.NewDescribeUserSCRAMCredentialsRequestUser()
	one.Name = user
	ask.Users = append(ask.Users, one)
	programs.Eventually(t, "the broker knows "+user, func() (bool, error) {
		resp, err := ask.RequestWith(t.Context(), w.kafka)
		return err == nil && resp.Results[0].ErrorCode == 0, err
	})
}

var (
	resources  = map[string]kmsg.ACLResourceType{"topic": kmsg.ACLResourceTypeTopic, "group": kmsg.ACLResourceTypeGroup}
	operations = map[string]kmsg.ACLOperation{
		"READ": kmsg.ACLOperationRead, "WRITE": kmsg.ACLOperationWrite, "CREATE": kmsg.ACLOperationCreate,
		"DELETE": kmsg.ACLOperationDelete, "ALTER": kmsg.ACLOperationAlter, "DESCRIBE_CONFIGS": kmsg.ACLOperationDescribeConfigs,
	}
)

// here is the name that stands in this world for one of the documentation.
func (w *guardedWorld) here(name string) string {
	switch name {
	case "shards":
		return w.input
	case "posteriors":
		return w.output
	case "shards.dead":
		return w.dead
	}
	return strings.Replace(name, "credence", w.group, 1)
}

func (w *guardedWorld) grant(t *testing.T, p permission) {
	t.Helper()
	req := kmsg.NewPtrCreateACLsRequest()
	c := kmsg.NewCreateACLsRequestCreation()
	c.ResourceType, c.ResourceName, c.ResourcePatternType = resources[p.resource], w.here(p.name), kmsg.ACLResourcePatternTypeLiteral
	c.Principal, c.Host, c.Operation, c.PermissionType = "User:"+w.user(p.user), "*", operations[p.operation], kmsg.ACLPermissionTypeAllow
	req.Creations = append(req.Creations, c)
	resp, err := req.RequestWith(t.Context(), w.kafka)
	if err == nil {
		err = kerr.ErrorForCode(resp.Results[0].ErrorCode)
	}
	if err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	w.holds(t, p, true)
}

func (w *guardedWorld) withdraw(t *testing.T, p permission) {
	t.Helper()
	req := kmsg.NewPtrDeleteACLsRequest()
	f := kmsg.NewDeleteACLsRequestFilter()
	principal, name := "User:"+w.user(p.user), w.here(p.name)
	f.ResourceType, f.ResourceName, f.ResourcePatternType = resources[p.resource], &name, kmsg.ACLResourcePatternTypeLiteral
	f.Principal, f.Operation, f.PermissionType = &principal, operations[p.operation], kmsg.ACLPermissionTypeAllow
	req.Filters = append(req.Filters, f)
	resp, err := req.RequestWith(t.Context(), w.kafka)
	if err == nil {
		err = kerr.ErrorForCode(resp.Results[0].ErrorCode)
	}
	if err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	w.holds(t, p, false)
}

// holds waits until the broker's own authorizer has heard of a permission, or of its end.
func (w *guardedWorld) holds(t *testing.T, p permission, want bool) {
	t.Helper()
	req := kmsg.NewPtrDescribeACLsRequest()
	principal, name := "User:"+w.user(p.user), w.here(p.name)
	req.ResourceType, req.ResourceName, req.ResourcePatternType = resources[p.resource], &name, kmsg.ACLResourcePatternTypeLiteral
	req.Principal, req.Operation, req.PermissionType = &principal, operations[p.operation], kmsg.ACLPermissionTypeAllow
	programs.Eventually(t, p.String(), func() (bool, error) {
		resp, err := req.RequestWith(t.Context(), w.kafka)
		return err == nil && (len(resp.Resources) > 0) == want, err
	})
}

// as are the words that make a command one of a user.
func (w *guardedWorld) as(words ...string) []string {
	words = append(words, "--set", "redis.url="+w.store, "--set", "redis.password_file="+w.password, "--set", "kafka.session_timeout=2s")
	return w.inKafka(words...)
}

// inKafka are the words that make a command one of a user in Kafka alone.
func (w *guardedWorld) inKafka(words ...string) []string {
	for _, s := range []string{
		"kafka.brokers=" + w.bootstrap, "kafka.sasl.mechanism=scram-sha-512", "kafka.sasl.username=" + w.user("credence"), "kafka.sasl.password_file=" + w.password,
	} {
		words = append(words, "--set", s)
	}
	return words
}

// produce runs the producer as its user.
func (w *guardedWorld) produce(words ...string) []string {
	return append(words, "--brokers", w.bootstrap, "--sasl-mechanism", "scram-sha-512", "--sasl-username", w.user("producer"), "--sasl-password-file", w.password)
}

// works expects that a command succeeds.
func (w *guardedWorld) works(t *testing.T, program string, words []string) {
	t.Helper()
	if got := programs.Run(t, filepath.Join(binaries, program), words...); got.Code != 0 {
		t.Errorf("%s %s: exit %d\n%s%s", program, strings.Join(words[:2], " "), got.Code, got.Data, programs.Last(got.Messages))
	}
}

var unauthorized = regexp.MustCompile(`(?i)authorization.failed|not authorized`)

// refused expects that a command without a permission says so. One that would wait for
// ever, as for any outage, is ended then.
func (w *guardedWorld) refused(t *testing.T, program string, words []string, p permission) {
	t.Helper()
	w.withdraw(t, p)
	defer w.grant(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(binaries, program), words...)
	cmd.Env, cmd.Cancel = programs.Surroundings(), func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	said := &said{found: cancel}
	cmd.Stdout, cmd.Stderr = said, said
	err := cmd.Run()
	if err == nil || !unauthorized.Match(said.text.Bytes()) {
		t.Errorf("without %s, %s %s ends with %v and says\n%s", p, program, strings.Join(words[:2], " "), err, programs.Last(said.text.String()))
	}
}

// waits expects that a worker without a permission is not ready and says why, there or in its log.
func (w *guardedWorld) waits(t *testing.T, p permission) {
	t.Helper()
	w.withdraw(t, p)
	defer w.grant(t, p)
	s := w.start(t, w.as()...)
	programs.Eventually(t, "the worker names what is missing", func() (bool, error) {
		code, body := s.Fetch(t, "/readyz")
		if code == 503 && unauthorized.MatchString(body+s.Messages.String()) {
			return true, nil
		}
		return false, fmt.Errorf("without %s: %d %s", p, code, body)
	})
	s.Stop(t)
}

// said is what a command has said; found is called once it spoke of a permission.
type said struct {
	text  bytes.Buffer
	found func()
}

func (s *said) Write(b []byte) (int, error) {
	n, err := s.text.Write(b)
	if unauthorized.Match(s.text.Bytes()) {
		s.found()
	}
	return n, err
}

// TestPermissions runs every command under the permissions of docs/howto/security.md, in
// Kafka and in Redis, and shows of each one in Kafka that some command fails without it; of
// those in Redis TestLeastPrivilege in pipeline/redis does.
func TestPermissions(t *testing.T) {
	eachGuarded(t, func(t *testing.T, w *guardedWorld) {
		consumer := func(words ...string) []string { return w.as(append(words, "--config", w.file)...) }
		simulate := w.produce("simulate", "--scenario", "linear", "--shards", "20", "--keys", "3", "--topic", w.input)
		run := consumer("run", "--until-end", "--set", "http.listen=")
		file := filepath.Join(w.dir, "states.arrows")

		left := slices.Clone(w.rows)
		without := func(program string, words []string, p permission) {
			t.Helper()
			i := slices.Index(left, p)
			if i < 0 {
				t.Errorf("docs/howto/security.md lacks %s", p)
				return
			}
			left = slices.Delete(left, i, i+1)
			if program == "" {
				w.waits(t, p)
				return
			}
			w.refused(t, program, words, p)
		}
		without("producer", simulate, permission{"producer", "topic", "shards", "CREATE"})
		w.works(t, "producer", simulate)
		without("producer", simulate, permission{"producer", "topic", "shards", "WRITE"})
		without("consumer", run, permission{"credence", "topic", "posteriors", "CREATE"})
		without("consumer", run, permission{"credence", "topic", "shards.dead", "CREATE"})
		without("", nil, permission{"credence", "topic", "shards", "READ"})
		without("", nil, permission{"credence", "group", "credence", "READ"})
		without("", nil, permission{"credence", "topic", "posteriors", "WRITE"})
		send(t, w.kafka, &kgo.Record{Topic: w.input, Key: []byte("linear/1"), Value: []byte("no shard")})
		without("", nil, permission{"credence", "topic", "shards.dead", "WRITE"})
		// The worker may have applied all shards before: a run whose records all become dead letters fails.
		w.works(t, "producer", append(slices.Clone(simulate), "--seed", "2"))
		w.works(t, "consumer", run)

		for _, topic := range []string{"shards", "posteriors", "shards.dead"} {
			without("consumer", consumer("check", "--set", "http.listen="), permission{"credence", "topic", topic, "DESCRIBE_CONFIGS"})
		}
		w.works(t, "consumer", consumer("check", "--set", "http.listen="))
		without("consumer", consumer("tail", "--until-end"), permission{"credence", "topic", "posteriors", "READ"})
		w.works(t, "consumer", consumer("tail", "--until-end"))
		w.works(t, "consumer", consumer("get", w.aKey(t)))
		without("consumer", consumer("dead-letters", "list"), permission{"credence", "topic", "shards.dead", "READ"})
		w.works(t, "consumer", consumer("dead-letters", "list"))
		without("consumer", consumer("dead-letters", "replay"), permission{"credence", "group", "credence.dlq", "READ"})
		without("consumer", consumer("dead-letters", "replay"), permission{"credence", "topic", "shards", "WRITE"})
		w.works(t, "consumer", consumer("dead-letters", "replay"))
		for _, words := range [][]string{
			{"verify"}, {"state", "list"}, {"state", "repair"}, {"state", "export", "--out", file}, {"state", "import", "--in", file, "--force", "--yes"},
			{"state", "delete", w.aKey(t), "--yes", "--wait", "0s"},
		} {
			w.works(t, "consumer", consumer(words...))
		}
		importing := consumer("state", "import", "--in", file, "--force", "--yes")
		w.refused(t, "consumer", importing, permission{"credence", "group", "credence", "READ"})
		w.works(t, "consumer", consumer("get", w.aKey(t))) // it was refused before anything was changed
		w.works(t, "consumer", importing)
		reading := []string{"--topic", w.input, "--brokers", w.bootstrap}
		w.works(t, "consumer", w.as(append([]string{"init", "--from", "beginning"}, reading...)...))
		without("consumer", consumer("state", "delete", "--all", "--yes"), permission{"credence", "group", "credence", "DELETE"})
		w.works(t, "consumer", consumer("state", "delete", "--all", "--yes"))
		w.works(t, "consumer", run) // a rescaled topic cannot be begun anew
		rescale := consumer("rescale", "--to", "6", "--yes", "--export", filepath.Join(w.dir, "rescaled.arrows"))
		without("consumer", rescale, permission{"credence", "topic", "shards", "ALTER"})
		w.works(t, "consumer", rescale)
		for _, p := range left {
			t.Errorf("no command was shown to need %s", p)
		}
		w.locksNobodyOut(t)
	})
}

// locksNobodyOut expects that a worker whose password a real broker refuses ends by itself: the
// broker answers, and does not only hang up.
func (w *guardedWorld) locksNobodyOut(t *testing.T) {
	t.Helper()
	wrong := filepath.Join(w.dir, "wrong")
	if err := os.WriteFile(wrong, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := programs.Run(t, filepath.Join(binaries, "consumer"), append(w.as("run", "--config", w.file), "--set", "kafka.sasl.password_file="+wrong)...)
	if got.Code != 1 || !strings.Contains(got.Messages, "refused too often") || !strings.Contains(got.Messages, "kafka.sasl") {
		t.Errorf("a wrong password: exit %d\n%s", got.Code, programs.Last(got.Messages))
	}
}

// aKey is a key that has a state.
func (w *guardedWorld) aKey(t *testing.T) string {
	t.Helper()
	got := programs.Run(t, filepath.Join(binaries, "consumer"), w.as("state", "list", "--config", w.file, "--format", "csv")...)
	lines := strings.Split(got.Data, "\n")
	if got.Code != 0 || len(lines) < 2 {
		t.Fatalf("state list: exit %d\n%s%s", got.Code, got.Data, got.Messages)
	}
	key, _, _ := strings.Cut(lines[1], ",")
	return key
}
