package main

import (
	"encoding/json"
	"sort"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/cache"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/diff"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	synced    = "Synced"
	outOfSync = "OutOfSync"
)

// Report is what an Application shows.
type Report struct {
	Sync      string                  `json:"sync"`
	Health    health.HealthStatusCode `json:"health"`
	Resources []ComparedResource      `json:"resources"`
	// Orphaned are objects without an owner that belong to no manifest, as KIND/NAME.
	Orphaned []string `json:"orphaned"`
	// Operation is the sync that self-heal has started.
	Operation *Operation `json:"operation,omitempty"`
}

// ComparedResource is one object of an Application.
type ComparedResource struct {
	Kind          string                  `json:"kind"`
	Name          string                  `json:"name"`
	Sync          string                  `json:"sync"`
	RequiresPrune bool                    `json:"requiresPrune,omitempty"`
	Health        health.HealthStatusCode `json:"health,omitempty"`
	Message       string                  `json:"message,omitempty"`
	// Differences is a merge patch from the live object to what a sync would make of it.
	Differences json.RawMessage `json:"differences,omitempty"`
}

// Compare returns what the Application shows now. A server-side diff sends each manifest after it has read the live object;
// where another client has changed the object in between, the difference is that change. Argo CD compares again when its
// watch reports the change; so does this.
func (a *Application) Compare() (*Report, error) {
	for {
		report, changed, err := a.compareOnce()
		if err != nil || !changed {
			return report, err
		}
	}
}

func (a *Application) compareOnce() (report *Report, changed bool, err error) {
	pairs, err := a.reconcile()
	if err != nil {
		return nil, false, err
	}
	differences, err := diff.DiffArray(pairs.Target, pairs.Live, a.diffing...)
	if err != nil {
		return nil, false, err
	}
	report = &Report{Sync: synced, Health: health.HealthStatusHealthy}
	managed := map[kube.ResourceKey]bool{}
	for i, difference := range differences.Diffs {
		resource, err := a.compareOne(pairs.Target[i], pairs.Live[i], difference)
		if err != nil {
			return nil, false, err
		}
		report.Resources = append(report.Resources, *resource)
		if resource.Sync == outOfSync {
			report.Sync = outOfSync
			if changed, err = a.hasChanged(pairs.Live[i]); changed || err != nil {
				return nil, changed, err
			}
		}
		if resource.Health != "" && health.IsWorse(report.Health, resource.Health) {
			report.Health = resource.Health
		}
		managed[keyOf(pairs.Target[i], pairs.Live[i])] = true
	}
	report.Orphaned = a.orphaned(managed)
	return report, false, nil
}

func (a *Application) hasChanged(live *unstructured.Unstructured) (bool, error) {
	if live == nil {
		return false, nil
	}
	now, err := a.read(live)
	return now == nil || now.GetResourceVersion() != live.GetResourceVersion(), err
}

func keyOf(target, live *unstructured.Unstructured) kube.ResourceKey {
	if target != nil {
		return kube.GetResourceKey(target)
	}
	return kube.GetResourceKey(live)
}

func (a *Application) compareOne(target, live *unstructured.Unstructured, difference diff.DiffResult) (*ComparedResource, error) {
	key := keyOf(target, live)
	resource := &ComparedResource{Kind: key.Kind, Name: key.Name, Sync: synced, RequiresPrune: target == nil}
	if difference.Modified || target == nil || live == nil {
		resource.Sync = outOfSync
	}
	if target != nil && live != nil && difference.Modified {
		patch, err := jsonpatch.CreateMergePatch(difference.NormalizedLive, difference.PredictedLive)
		if err != nil {
			return nil, err
		}
		resource.Differences = patch
	}
	if live == nil {
		resource.Health = health.HealthStatusMissing
		return resource, nil
	}
	status, err := health.GetResourceHealth(live, a.health)
	if err != nil {
		return nil, err
	}
	// A kind without a health check, such as a ConfigMap, has no influence.
	if status != nil && target != nil {
		resource.Health, resource.Message = status.Status, status.Message
	}
	return resource, nil
}

func (a *Application) orphaned(managed map[kube.ResourceKey]bool) []string {
	topLevel := a.cache.FindResources(a.settings.Namespace, func(r *cache.Resource) bool { return len(r.OwnerRefs) == 0 })
	names := []string{}
	for key := range topLevel {
		if !managed[key] {
			names = append(names, key.Kind+"/"+key.Name)
		}
	}
	sort.Strings(names)
	return names
}
