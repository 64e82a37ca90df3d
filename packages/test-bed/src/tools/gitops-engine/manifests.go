package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// readManifests returns the objects of all YAML and JSON files of a folder.
func readManifests(folder string) ([]*unstructured.Unstructured, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, entry := range entries {
		switch filepath.Ext(entry.Name()) {
		case ".json", ".yaml", ".yml":
			data, err := os.ReadFile(filepath.Join(folder, entry.Name()))
			if err != nil {
				return nil, err
			}
			items, err := kube.SplitYAML(data)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", entry.Name(), err)
			}
			objects = append(objects, items...)
		}
	}
	return objects, nil
}
