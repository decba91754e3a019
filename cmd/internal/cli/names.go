package cli

// Names are the words by which somebody calls the commands: the names of two programs,
// or twice that of the one which has the commands of both.
type Names struct {
	Consumer string // before run, get, ...
	Producer string // before replay and simulate
}

// Single is the program that has all commands.
const Single = "credence"

// Apart are the names of the two programs.
func Apart() Names { return Names{Consumer: "consumer", Producer: "producer"} }

// Together are the names in the program that has the commands of both.
func Together() Names { return Names{Consumer: Single, Producer: Single} }

// The commands of the two programs, each of which knows those of the other where somebody
// looks for them there.
var (
	ConsumerCommands = []string{"capacity", "check", "dead-letters", "demo", "get", "init", "ready", "rescale", "run", "state", "tail", "try", "verify"}
	ProducerCommands = []string{"replay", "simulate"}
)
