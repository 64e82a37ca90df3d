package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/diff"
	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/itchyny/gojq"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// ignoreRule is an entry of spec.ignoreDifferences of an Application. The engine has no such rules of its own; Argo CD
// passes them to it as a normalizer, as this program does.
type ignoreRule struct {
	Group             string   `json:"group"`
	Kind              string   `json:"kind"`
	Name              string   `json:"name"`
	JSONPointers      []string `json:"jsonPointers"`
	JQPathExpressions []string `json:"jqPathExpressions"`
}

type ignoredFields struct {
	rules    []ignoreRule
	deletion map[string]*gojq.Code
}

func readIgnoreDifferences(file string) (diff.Normalizer, error) {
	if file == "" {
		return diff.GetNoopNormalizer(), nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	ignored := &ignoredFields{deletion: map[string]*gojq.Code{}}
	if err := yaml.UnmarshalStrict(data, &ignored.rules); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, rule := range ignored.rules {
		for _, expression := range rule.JQPathExpressions {
			query, err := gojq.Parse("del(" + expression + ")")
			if err != nil {
				return nil, fmt.Errorf("%s: %q: %w", file, expression, err)
			}
			if ignored.deletion[expression], err = gojq.Compile(query); err != nil {
				return nil, fmt.Errorf("%s: %q: %w", file, expression, err)
			}
		}
	}
	return ignored, nil
}

// Normalize removes the ignored fields from a live object or a manifest.
func (f *ignoredFields) Normalize(object *unstructured.Unstructured) error {
	kind := object.GroupVersionKind().GroupKind()
	for _, rule := range f.rules {
		if rule.Group != kind.Group || rule.Kind != kind.Kind || (rule.Name != "" && rule.Name != object.GetName()) {
			continue
		}
		for _, pointer := range rule.JSONPointers {
			if err := removePointer(object, pointer); err != nil {
				return err
			}
		}
		for _, expression := range rule.JQPathExpressions {
			if err := f.remove(object, expression); err != nil {
				return fmt.Errorf("%q: %w", expression, err)
			}
		}
	}
	return nil
}

func removePointer(object *unstructured.Unstructured, pointer string) error {
	operations, err := json.Marshal([]map[string]string{{"op": "remove", "path": pointer}})
	if err != nil {
		return err
	}
	patch, err := jsonpatch.DecodePatch(operations)
	if err != nil {
		return err
	}
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	patched, err := patch.Apply(data)
	if errors.Is(err, jsonpatch.ErrMissing) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(patched, object)
}

func (f *ignoredFields) remove(object *unstructured.Unstructured, expression string) error {
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	var plain map[string]any
	if err := json.Unmarshal(data, &plain); err != nil {
		return err
	}
	result, ok := f.deletion[expression].Run(plain).Next()
	if !ok {
		return errors.New("no result")
	}
	if err, isError := result.(error); isError {
		return err
	}
	if data, err = json.Marshal(result); err != nil {
		return err
	}
	return json.Unmarshal(data, object)
}
