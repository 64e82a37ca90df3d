package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/cache"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/diff"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/sync/common"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/tracing"
	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// fieldManager is the one that Argo CD applies with.
const fieldManager = "argocd-controller"

// Settings are what an Application, and the ConfigMap argocd-cm, say in Argo CD.
type Settings struct {
	Kubeconfig        string
	Namespace         string
	Manifests         string
	App               string
	Tracking          string
	ServerSideApply   bool
	Diff              string
	IgnoreDifferences string
	HealthCheck       string
}

// Application syncs and compares the manifests of one folder.
type Application struct {
	settings Settings
	tracking Tracking
	config   *rest.Config
	kubectl  *kube.KubectlCmd
	cache    cache.ClusterCache
	health   health.HealthOverride
	diffing  []diff.Option
	cleanup  func()
}

func openApplication(settings Settings, check health.HealthOverride) (*Application, error) {
	config, err := clientcmd.BuildConfigFromFlags("", settings.Kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 200, 400
	tracking, err := newTracking(settings.Tracking, settings.App)
	if err != nil {
		return nil, err
	}
	ignored, err := readIgnoreDifferences(settings.IgnoreDifferences)
	if err != nil {
		return nil, err
	}
	log := logr.Discard()
	app := &Application{
		settings: settings,
		tracking: tracking,
		config:   config,
		kubectl:  &kube.KubectlCmd{Log: log, Tracer: tracing.NopTracer{}},
		health:   check,
		diffing:  []diff.Option{diff.WithLogr(log), diff.WithNormalizer(ignored)},
		cleanup:  func() {},
	}
	app.cache = cache.NewClusterCache(config,
		cache.SetNamespaces([]string{settings.Namespace}),
		cache.SetLogr(log),
		cache.SetPopulateResourceInfoHandler(func(object *unstructured.Unstructured, _ bool) (any, bool) {
			isTracked := tracking.Has(object)
			return isTracked, isTracked
		}),
	)
	if err := app.cache.EnsureSynced(); err != nil {
		return nil, err
	}
	switch settings.Diff {
	case "classic":
		// Argo CD compares so where it applies server-side.
		app.diffing = append(app.diffing,
			diff.WithStructuredMergeDiff(settings.ServerSideApply),
			diff.WithManager(fieldManager),
			diff.WithGVKParser(app.cache.GetGVKParser()),
		)
	case "server-side":
		applier, cleanup, err := app.kubectl.ManageServerSideDiffDryRuns(config)
		if err != nil {
			return nil, err
		}
		app.cleanup = cleanup
		app.diffing = append(app.diffing,
			diff.WithServerSideDiff(true),
			diff.WithServerSideDryRunner(diff.NewK8sServerSideDryRunner(applier)),
			diff.WithManager(fieldManager),
			diff.WithGVKParser(app.cache.GetGVKParser()),
		)
	default:
		return nil, fmt.Errorf("unknown strategy %q: must be classic or server-side", settings.Diff)
	}
	return app, nil
}

// Close stops the watches.
func (a *Application) Close() {
	a.cleanup()
	a.cache.Invalidate()
}

// reconcile pairs the manifests with live objects. A pair without a manifest is to be pruned.
func (a *Application) reconcile() (sync.ReconciliationResult, error) {
	targets, err := readManifests(a.settings.Manifests)
	if err != nil {
		return sync.ReconciliationResult{}, err
	}
	for _, target := range targets {
		target.SetNamespace(a.settings.Namespace)
		a.tracking.Mark(target)
	}
	live, err := a.cache.GetManagedLiveObjs(targets, func(r *cache.Resource) bool { return r.Info == true })
	if err != nil {
		return sync.ReconciliationResult{}, err
	}
	// The cache may be behind the last sync, so what has a manifest is read again.
	for _, target := range targets {
		key := kube.GetResourceKey(target)
		object, err := a.read(target)
		if err != nil {
			return sync.ReconciliationResult{}, err
		}
		if object == nil {
			delete(live, key)
		} else {
			live[key] = object
		}
	}
	return sync.Reconcile(targets, live, a.settings.Namespace, a.cache), nil
}

// read returns the live object; nil when there is none.
func (a *Application) read(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	kind, name, namespace := object.GroupVersionKind(), object.GetName(), object.GetNamespace()
	live, err := a.kubectl.GetResource(context.Background(), a.config, kind, name, namespace)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return live, err
}

// Operation is the result of one sync.
type Operation struct {
	Phase     common.OperationPhase `json:"phase"`
	Message   string                `json:"message,omitempty"`
	Resources []SyncedResource      `json:"resources"`
}

// SyncedResource is the result of one sync for one object.
type SyncedResource struct {
	Kind    string            `json:"kind"`
	Name    string            `json:"name"`
	Status  common.ResultCode `json:"status"`
	Message string            `json:"message"`
}

// Sync applies all manifests, also those that are in sync, and prunes.
func (a *Application) Sync(ctx context.Context) (*Operation, error) {
	pairs, err := a.reconcile()
	if err != nil {
		return nil, err
	}
	operation, cleanup, err := sync.NewSyncContext("", pairs, a.config, a.config, a.kubectl, a.settings.Namespace,
		sync.WithLogr(logr.Discard()),
		sync.WithPrune(true),
		sync.WithHealthOverride(a.health),
		sync.WithServerSideApply(a.settings.ServerSideApply),
		sync.WithServerSideApplyManager(fieldManager),
	)
	if err != nil {
		return nil, err
	}
	defer cleanup()
	for {
		operation.Sync()
		phase, message, results := operation.GetState()
		if phase.Completed() {
			return &Operation{Phase: phase, Message: message, Resources: syncedResources(results)}, nil
		}
		select {
		case <-ctx.Done():
			operation.Terminate()
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func syncedResources(results []common.ResourceSyncResult) []SyncedResource {
	synced := []SyncedResource{}
	for _, result := range results {
		synced = append(synced, SyncedResource{
			Kind:    result.ResourceKey.Kind,
			Name:    result.ResourceKey.Name,
			Status:  result.Status,
			Message: strings.TrimSpace(result.Message),
		})
	}
	return synced
}
