package pipeline

import "context"

// rescale stands for the command: it begins its journal, takes the partition over as a worker
// would, and ends when the fault does. What it moves is no matter: from its claim on the
// states have to stay where they are. It leaves a store alone that has nothing.
func (s *Sim) rescale(f *Fault) {
	ctx, topic := context.Background(), simPartition.Topic
	was, err := s.store.Layout(ctx, topic)
	if err != nil || was.Partitions != 1 {
		return
	}
	moving := Layout{Partitions: Rescales, Moving: &Moving{From: 1, To: 2, Step: MoveBegun}}
	lays := func(from, to Layout) {
		if err := s.store.SetLayout(ctx, topic, from, to); err != nil {
			s.violate("rescale", "%v", err)
		}
	}
	lays(was, moving)
	s.clock.after(min(s.delay(), (f.To-f.From)/2), func() {
		settled, err := s.store.Claim(ctx, Lease{Partition: simPartition, Token: "rescale"})
		if err != nil {
			s.violate("rescale", "%v", err)
		}
		s.until(f, func() {
			if now, err := s.store.Meta(ctx, simPartition); err != nil || now.Watermark != settled.Watermark {
				s.violate("rescale", "the states were settled at %d, and at the end they are at %d (error %v)", settled.Watermark, now.Watermark, err)
			}
			lays(moving, was)
		})
	})
}
