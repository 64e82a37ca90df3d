package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// healthCheck is the Lua check of a kind in the ConfigMap argocd-cm.
type healthCheck struct {
	script string
}

func readHealthCheck(file string) (health.HealthOverride, error) {
	if file == "" {
		return nil, nil
	}
	script, err := os.ReadFile(file)
	return healthCheck{string(script)}, err
}

// GetResourceHealth returns nil for kinds that have no check of their own.
func (c healthCheck) GetResourceHealth(object *unstructured.Unstructured) (*health.HealthStatus, error) {
	if object.GroupVersionKind().Group != "trimtab.dev" || object.GetKind() != "ConfigRollout" {
		return nil, nil
	}
	return c.run(object)
}

// The libraries that Argo CD opens for a check unless `useOpenLibs` is set, and the time that a check has. Argo CD also opens
// a part of `os`, which has the time only.
var libraries = map[string]lua.LGFunction{
	lua.LoadLibName: lua.OpenPackage,
	lua.BaseLibName: lua.OpenBase,
	lua.TabLibName:  lua.OpenTable,
}

const timeLimit = time.Second

func (c healthCheck) run(object *unstructured.Unstructured) (*health.HealthStatus, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for _, name := range []string{lua.LoadLibName, lua.BaseLibName, lua.TabLibName} {
		open := lua.P{Fn: state.NewFunction(libraries[name]), Protect: true}
		if err := state.CallByParam(open, lua.LString(name)); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	state.SetContext(ctx)
	state.SetGlobal("obj", luaValue(state, object.Object))
	if err := state.DoString(c.script); err != nil {
		return nil, err
	}
	result, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return nil, fmt.Errorf("the health check returns a %s, and must return a table", state.Get(-1).Type())
	}
	status := &health.HealthStatus{
		Status:  health.HealthStatusCode(lua.LVAsString(result.RawGetString("status"))),
		Message: lua.LVAsString(result.RawGetString("message")),
	}
	switch status.Status {
	case health.HealthStatusHealthy, health.HealthStatusProgressing, health.HealthStatusSuspended, health.HealthStatusDegraded:
		return status, nil
	}
	return nil, fmt.Errorf("the health check returns the status %q", status.Status)
}

// luaValue converts a value that was decoded from JSON.
func luaValue(state *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case bool:
		return lua.LBool(value)
	case string:
		return lua.LString(value)
	case int64:
		return lua.LNumber(value)
	case float64:
		return lua.LNumber(value)
	case []any:
		list := state.CreateTable(len(value), 0)
		for _, item := range value {
			list.Append(luaValue(state, item))
		}
		return list
	case map[string]any:
		table := state.CreateTable(0, len(value))
		for key, item := range value {
			table.RawSetString(key, luaValue(state, item))
		}
		return table
	}
	return lua.LNil
}

func printHealth(input io.Reader, check health.HealthOverride) error {
	var objects []map[string]any
	if err := json.NewDecoder(input).Decode(&objects); err != nil {
		return err
	}
	results := []*health.HealthStatus{}
	for _, object := range objects {
		status, err := health.GetResourceHealth(&unstructured.Unstructured{Object: object}, check)
		if err != nil {
			return err
		}
		results = append(results, status)
	}
	return printLine(results)
}
