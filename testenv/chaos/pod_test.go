//go:build linux

package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// The servers' addresses, which the network of the test has and no other.
const (
	kafkaHost = "10.88.1.254"
	redisHost = "10.88.2.254"
)

// apart runs a test again in a network namespace of its own and reports whether this is
// that run. Where the system permits no namespaces the test is skipped, and fails in CI.
func apart(t *testing.T, binary func() string) (program string, inside bool) {
	t.Helper()
	const inner = "CREDENCE_APART"
	if program := os.Getenv(inner); program != "" {
		return program, true
	}
	if err := namespaced(exec.CommandContext(t.Context(), "ip", "link", "add", "kafka0", "type", "veth", "peer", "name", "kafka1")).Run(); err != nil {
		why := fmt.Sprintf("NOT REHEARSED: no network namespaces with veth devices can be had here (ip link: %v): run it as root, with iproute2", err)
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := namespaced(exec.CommandContext(t.Context(), self, "-test.v", "-test.count=1", "-test.timeout=30m", "-test.run=^"+t.Name()+"$"))
	cmd.Env = append(os.Environ(), inner+"="+binary())
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
	return "", false
}

// namespaced gives a command a network of its own, in which it is root. It ends with this
// process.
func namespaced(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	return cmd
}

// ip runs iproute2 with the words of a text.
func ip(ctx context.Context, format string, args ...any) error {
	words := strings.Fields(fmt.Sprintf(format, args...))
	if out, err := exec.CommandContext(ctx, "ip", words...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(words, " "), err, out)
	}
	return nil
}

// servers gives this namespace the addresses of the servers.
func servers(ctx context.Context) error {
	return errors.Join(ip(ctx, "link set lo up"), ip(ctx, "addr add %s/32 dev lo", kafkaHost), ip(ctx, "addr add %s/32 dev lo", redisHost))
}

// wire is the way from a pod to a server.
type wire struct{ device, pod string }

// pod is a consumer in a network of its own, with a wire to each server.
type pod struct {
	*member
	kafka, redis wire
}

// setUp waits for its wires and becomes the consumer. Its neighbours are told, so that
// what is sent over a wire that was cut vanishes, as beyond a switch, and is no error.
const setUp = `read ready && ip link set lo up
wire() {
	ip addr add $2/32 dev $1 && ip link set $1 up && ip route add $3 dev $1 src $2 && ip neigh add $3 lladdr $4 dev $1 nud permanent
}
wire kafka $1 $2 $3 && wire redis $4 $5 $6 && shift 6 && exec "$@"`

// startPod starts the nth pod of a group.
func startPod(ctx context.Context, n int, binary string, g group, dir string) (p *pod, err error) {
	p = &pod{kafka: wire{fmt.Sprintf("kafka%d", n), fmt.Sprintf("10.88.1.%d", n)}, redis: wire{fmt.Sprintf("redis%d", n), fmt.Sprintf("10.88.2.%d", n)}}
	mac := func(kind int) string { return fmt.Sprintf("02:00:00:00:%02x:%02x", kind, n) }
	cmd := namespaced(exec.CommandContext(context.WithoutCancel(ctx), "sh", "-c", setUp, "sh",
		p.kafka.pod, kafkaHost, mac(1), p.redis.pod, redisHost, mac(2), binary, "run", "--config", g.config))
	begin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if p.member, err = launch(cmd, g, dir); err != nil {
		return nil, err
	}
	for i, w := range []wire{p.kafka, p.redis} {
		peer := []string{"kafka", "redis"}[i]
		err := ip(ctx, "link add %s address %s type veth peer name %s netns %s", w.device, mac(1+i), peer, strconv.Itoa(cmd.Process.Pid))
		if err == nil {
			err = w.mend(ctx)
		}
		if err != nil {
			p.kill()
			return nil, err
		}
	}
	_, err = io.WriteString(begin, "go\n")
	return p, errors.Join(err, begin.Close())
}

// cut drops what goes over the wire from now on.
func (w wire) cut(ctx context.Context) error { return ip(ctx, "link set %s down", w.device) }

// mend ends a cut.
func (w wire) mend(ctx context.Context) error {
	return errors.Join(ip(ctx, "link set %s up", w.device), ip(ctx, "route replace %s/32 dev %s", w.pod, w.device))
}
