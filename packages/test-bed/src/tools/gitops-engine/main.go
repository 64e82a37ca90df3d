// Program gitops-engine compares and syncs the manifests of one folder as an Application of Argo CD does, with the engine
// of Argo CD. It talks to the API server only.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

const usage = `Usage: gitops-engine COMMAND [flags]

  sync        apply all manifests and prune what is tracked and has no manifest; prints one line of JSON for each sync
  compare     print what an Application shows: sync status, differences, health and orphaned objects, as one line of JSON
  self-heal   compare, and sync what is out of sync, until the standard input ends; prints one line of JSON for each round
  health      read a JSON list of objects from the standard input, and print the health of each

Flags
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var settings Settings
	flags := flag.NewFlagSet("gitops-engine", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&settings.Kubeconfig, "kubeconfig", os.Getenv("KUBECONFIG"), "Path of the kubeconfig")
	flags.StringVar(&settings.Namespace, "namespace", "default", "Namespace of all objects")
	flags.StringVar(&settings.Manifests, "manifests", ".", "Folder of the manifests; it is read again for each comparison")
	flags.StringVar(&settings.App, "app", "app", "Name of the Application")
	flags.StringVar(&settings.Tracking, "tracking", "annotation", "How objects are tracked: annotation or label")
	flags.BoolVar(&settings.ServerSideApply, "server-side-apply", false, "Sync option ServerSideApply=true")
	flags.StringVar(&settings.Diff, "diff", "classic", "Strategy of the comparison: classic or server-side")
	flags.StringVar(&settings.IgnoreDifferences, "ignore-differences", "", "File with a list as in spec.ignoreDifferences of an Application")
	flags.StringVar(&settings.HealthCheck, "health-check", "", "File with the Lua health check of ConfigRollouts")
	times := flags.Int("times", 1, "sync: number of syncs")
	if len(args) == 0 {
		flags.Usage()
		return fmt.Errorf("no command")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	check, err := readHealthCheck(settings.HealthCheck)
	if err != nil {
		return err
	}
	if args[0] == "health" {
		return printHealth(os.Stdin, check)
	}

	app, err := openApplication(settings, check)
	if err != nil {
		return err
	}
	defer app.Close()
	switch args[0] {
	case "sync":
		for range *times {
			result, err := app.Sync(context.Background())
			if err != nil {
				return err
			}
			if err := printLine(result); err != nil {
				return err
			}
		}
		return nil
	case "compare":
		report, err := app.Compare()
		if err != nil {
			return err
		}
		return printLine(report)
	case "self-heal":
		return selfHeal(app)
	}
	return fmt.Errorf("unknown command %q", args[0])
}

const selfHealInterval = 50 * time.Millisecond

func selfHeal(app *Application) error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	for ctx.Err() == nil {
		report, err := app.Compare()
		if err != nil {
			return err
		}
		if report.Sync == outOfSync {
			if report.Operation, err = app.Sync(ctx); err != nil && ctx.Err() == nil {
				return err
			}
		}
		if err := printLine(report); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(selfHealInterval):
		}
	}
	return nil
}

func printLine(value any) error {
	return json.NewEncoder(os.Stdout).Encode(value)
}
