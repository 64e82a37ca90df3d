// Command kstatus reads Kubernetes objects, one JSON document after the other, from its input. For each it prints one line of
// JSON with the status that kstatus computes, the library that Helm and Flux wait with.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Result is what kstatus computes for an object.
type Result struct {
	Status  status.Status `json:"status"`
	Message string        `json:"message"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(input io.Reader, output io.Writer) error {
	decoder, encoder := json.NewDecoder(input), json.NewEncoder(output)
	encoder.SetEscapeHTML(false)
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		computed, err := status.Compute(object)
		if err != nil {
			return err
		}
		if err := encoder.Encode(Result{computed.Status, computed.Message}); err != nil {
			return err
		}
	}
}
