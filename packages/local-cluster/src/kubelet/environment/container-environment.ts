import type { Container, EnvVar, Pod } from '../../objects/pod.ts';
import { ConfigProblem } from '../configs/config-problem.ts';
import {
  type Config,
  type ConfigKind,
  notFound,
  type ReadConfig,
  readEachOnce,
} from '../configs/read-config.ts';
import { expand } from './expand.ts';
import type { FileVariable } from './file-variable.ts';
import { podField } from './pod-field.ts';
import { resourceValue } from './resource-value.ts';

interface EnvironmentFacts {
  pod: Pod;
  container: Container;
  podIP: string;
  hostIP: string;
  allocatable: Record<string, string>;
  /** Variables of Services; the container's own variables take precedence. */
  services: ReadonlyMap<string, string>;
  /** Reads the value that a `fileKeyRef` names. */
  fileValue(volume: string, path: string, key: string): Promise<FileVariable>;
  read: ReadConfig;
}

/**
 * The variables of a container, as kubelet computes them: envFrom in order, then env in order. Each variable may
 * refer to earlier ones and to those of Services. Rejects with a ConfigProblem when a source is missing.
 */
export async function containerEnvironment(facts: EnvironmentFacts): Promise<Map<string, string>> {
  const { container, services } = facts;
  const once = { ...facts, read: readEachOnce(facts.read) };
  const own = await variablesOfConfigs(once);
  for (const variable of container.env ?? []) {
    const value = await valueOfVariable(variable, once, (name) => own.get(name) ?? services.get(name));
    if (value !== undefined) own.set(variable.name, value);
  }
  return new Map([...services, ...own]);
}

async function variablesOfConfigs({ pod, container, read }: EnvironmentFacts): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const namespace = pod.metadata.namespace ?? '';
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const reference = configMapRef ?? secretRef;
    if (reference === undefined) continue;
    const kind = configMapRef === undefined ? 'secret' : 'configmap';
    const { name = '', optional } = reference;
    const config = await read(kind, namespace, name);
    if (config === undefined && !optional) throw notFound(kind, name);
    if (kind === 'secret')
      for (const key of config?.files.keys() ?? []) mustBeText(config, key, namespace, name);
    for (const [key, text] of config?.texts ?? []) found.set(`${prefix}${key}`, text);
  }
  return found;
}

/** Undefined when the variable is not set, in which case a value from envFrom remains. */
async function valueOfVariable(
  { value, valueFrom }: EnvVar,
  facts: EnvironmentFacts,
  known: (name: string) => string | undefined,
): Promise<string | undefined> {
  if (value) return expand(value, known);
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef, fileKeyRef } = valueFrom ?? {};
  if (fieldRef !== undefined) return podField(facts.pod, fieldRef.fieldPath, facts);
  if (resourceFieldRef !== undefined) return resourceValue(resourceFieldRef, facts);
  if (configMapKeyRef !== undefined) return keyOf('configmap', configMapKeyRef, facts);
  if (secretKeyRef !== undefined) return keyOf('secret', secretKeyRef, facts);
  if (fileKeyRef !== undefined) {
    const { volumeName, path, key, optional } = fileKeyRef;
    const found = await facts.fileValue(volumeName, path, key);
    if (found.value !== '') return found.value;
    if (optional) return undefined;
    throw new ConfigProblem(
      `environment variable key ${JSON.stringify(key)} not found in file ${JSON.stringify(found.file)}`,
    );
  }
  return '';
}

async function keyOf(
  kind: ConfigKind,
  { name = '', key, optional }: { name?: string; key: string; optional?: boolean },
  { pod, read }: EnvironmentFacts,
): Promise<string | undefined> {
  const { namespace = '' } = pod.metadata;
  const config = await read(kind, namespace, name);
  if (kind === 'secret') mustBeText(config, key, namespace, name);
  const found = config?.texts.get(key);
  if (found !== undefined || optional) return found;
  if (config === undefined) throw notFound(kind, name);
  const title = kind === 'secret' ? 'Secret' : 'ConfigMap';
  throw new ConfigProblem(`couldn't find key ${key} in ${title} ${namespace}/${name}`);
}

/** Rejects a binary value: as a variable it would be truncated or altered. */
function mustBeText(config: Config | undefined, key: string, namespace: string, name: string): void {
  if (!config?.files.has(key) || config.texts.has(key)) return;
  throw new ConfigProblem(
    `key ${key} in Secret ${namespace}/${name} is not UTF-8 and cannot be an environment variable: mount it as a file`,
  );
}
