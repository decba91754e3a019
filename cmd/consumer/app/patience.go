package app

import (
	"time"
)

// Patience is how long commands that answer once wait for an answer.
const Patience = 30 * time.Second
