package kafka

import (
	"errors"
	"fmt"

	"github.com/segmentio/kafka-go"
)

// Forbidden reports whether an error is a broker's answer that this user lacks a permission:
// it stays until somebody grants it.
func Forbidden(err error) bool {
	return errors.Is(err, kafka.TopicAuthorizationFailed) || errors.Is(err, kafka.GroupAuthorizationFailed) || errors.Is(err, kafka.ClusterAuthorizationFailed)
}

// permit adds to the error of who reads, or is a member of a group, which permission it needs.
func permit(err error) error {
	switch {
	case errors.Is(err, kafka.TopicAuthorizationFailed):
		return fmt.Errorf("%w: allow this user READ and DESCRIBE on the topic", err)
	case errors.Is(err, kafka.GroupAuthorizationFailed):
		return fmt.Errorf("%w: allow this user READ on the group", err)
	}
	return err
}
