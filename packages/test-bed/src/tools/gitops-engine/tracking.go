package main

import (
	"fmt"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Tracking is how Argo CD knows the objects of an Application.
type Tracking struct {
	app    string
	labels bool
}

const (
	trackingAnnotation = "argocd.argoproj.io/tracking-id"
	trackingLabel      = "app.kubernetes.io/instance"
)

func newTracking(method, app string) (Tracking, error) {
	if method != "annotation" && method != "label" {
		return Tracking{}, fmt.Errorf("unknown tracking %q: must be annotation or label", method)
	}
	return Tracking{app: app, labels: method == "label"}, nil
}

// Mark adds the label or the annotation to a manifest.
func (t Tracking) Mark(object *unstructured.Unstructured) {
	if t.labels {
		object.SetLabels(with(object.GetLabels(), trackingLabel, t.app))
	} else {
		object.SetAnnotations(with(object.GetAnnotations(), trackingAnnotation, t.id(object)))
	}
}

// Has is whether a live object belongs to the Application. A copy of an annotation names another object, and does not count.
func (t Tracking) Has(object *unstructured.Unstructured) bool {
	if t.labels {
		return object.GetLabels()[trackingLabel] == t.app
	}
	return object.GetAnnotations()[trackingAnnotation] == t.id(object)
}

func (t Tracking) id(object *unstructured.Unstructured) string {
	key := kube.GetResourceKey(object)
	return fmt.Sprintf("%s:%s/%s:%s/%s", t.app, key.Group, key.Kind, key.Namespace, key.Name)
}

func with(marks map[string]string, name, value string) map[string]string {
	if marks == nil {
		marks = map[string]string{}
	}
	marks[name] = value
	return marks
}
