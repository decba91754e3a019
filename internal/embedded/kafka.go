package embedded

import (
	"context"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// kafka is one broker that can go and come back.
type kafka struct {
	dir, cluster string
	gate         *gate
	guard        *guard
	disk         *disk

	mu   sync.Mutex
	port int
	run  *kfake.Cluster // nil while down
	ends *sessions      // of run
}

func newKafka(ctx context.Context, dir, cluster, addr string) (*kafka, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return &kafka{dir: dir, cluster: cluster, port: port, gate: newGate(), guard: newGuard(), disk: newDisk()}, l.Close()
}

func (k *kafka) addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(k.port)) }

func (k *kafka) start(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.run != nil {
		return nil
	}
	c, err := kfake.NewCluster(append(logIn(k.dir),
		kfake.Ports(k.port),
		kfake.ListenFn(func(_, addr string) (net.Listener, error) { return k.gate.listen(ctx, addr) }),
		kfake.ClusterID(k.cluster),
		kfake.WithLogger(k.disk),
		kfake.DefaultNumPartitions(1),
		kfake.GroupMinSessionTimeout(time.Second),
	)...)
	if err != nil {
		return err
	}
	k.guard.watch(c)
	k.run, k.ends = c, newSessions(k.addr())
	k.ends.watch(c)
	return nil
}

func (k *kafka) kill() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.run == nil {
		return nil
	}
	k.gate.cut()
	k.ends.close()
	k.run.Close()
	k.gate.cut()
	k.run = nil
	return nil
}
