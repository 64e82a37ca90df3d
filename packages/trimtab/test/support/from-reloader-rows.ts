// The rows of the tables in docs/guides/from-reloader.md by their first column. A story has a test for each of them.

export const annotationRows = [
  '`reloader.stakater.com/auto: "true"`',
  '`reloader.stakater.com/auto: "false"`',
  '`configmap.reloader.stakater.com/auto: "true"`',
  '`secret.reloader.stakater.com/auto: "true"`',
  '`configmap.reloader.stakater.com/reload: "foo,app-.*"`',
  '`secret.reloader.stakater.com/reload: "foo,app-.*"`',
  '`configmap.reloader.stakater.com/reload` with a name that the pod template does not reference',
  '`reloader.stakater.com/search: "true"`',
  '`configmaps.exclude.reloader.stakater.com/reload: "foo"`',
  '`secrets.exclude.reloader.stakater.com/reload: "foo"`',
  '`reloader.stakater.com/ignore: "true"`',
  'any of these opt-ins',
  'an opt-in that is removed or excluded later',
  '`deployment.reloader.stakater.com/pause-period: "5m"`',
  '`deployment.reloader.stakater.com/pause-period`',
  '`reloader.stakater.com/rollout-strategy: "restart"`',
  '`secretproviderclass.reloader.stakater.com/…`',
  'any other annotation under `reloader.stakater.com`',
  'a value that is not valid',
] as const;

export const flagRows = [
  '`--namespace-selector=env=prod`',
  '`--namespaces-to-ignore=a,b`',
  '`--resource-label-selector=reload=true`',
  '`--resources-to-ignore=secrets`',
  '`--auto-reload-all`',
  '`--reload-on-create`, `--reload-on-delete`',
] as const;

export type AnnotationRow = (typeof annotationRows)[number];
export type FlagRow = (typeof flagRows)[number];
