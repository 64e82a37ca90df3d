import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseDuration } from '@trimtab/kube/flags/duration.ts';
import { parseManifest } from '../../core/manifest/parse-manifest.ts';
import { type OutcomeName, outcomeNames } from '../../core/notification/outcome.ts';
import { parseSigningKeys } from '../../core/notification/signature.ts';

const formats = ['cloudevents', 'slack', 'teams'] as const;

/** A receiver of notifications. */
export interface Target {
  /** Identifies the target in metrics, logs and the record of deliveries. */
  name: string;
  /** May be a secret, as that of Slack: it is in no log, no metric and no error. */
  url: URL;
  format: (typeof formats)[number];
  signingKeys: readonly Buffer[];
  /** Only outcomes in these namespaces; all when undefined. */
  namespaces: readonly string[] | undefined;
  /** Only these outcomes; all when undefined. */
  outcomes: readonly OutcomeName[] | undefined;
  timeoutMs: number;
  /** Certificates of the authorities that the receiver's certificate is verified against, as PEM. */
  ca: string | undefined;
}

export interface Targets {
  /** The name of the cluster in notifications. */
  cluster: string | undefined;
  targets: readonly Target[];
}

type Fields = Record<string, unknown>;

const targetFields = [
  ...['name', 'url', 'urlFile', 'format', 'signingKeyFile', 'namespaces', 'outcomes', 'timeout'],
  ...['caFile', 'allowHttp'],
];
const defaultTimeoutMs = 10_000;
const longestTimeoutMs = 60_000;

/**
 * Reads the file of --notifications and the files that it names, which are relative to it. Returns all problems, which
 * never contain a URL or a key.
 */
export async function readTargets(file: string): Promise<Targets | { problems: string[] }> {
  const problems: string[] = [];
  const text = await read(file, 'the file', problems);
  if (text === undefined) return { problems };
  const parsed = parseManifest(text);
  if ('problem' in parsed) return { problems: [parsed.problem] };
  const [document, ...others] = parsed.objects as Fields[];
  if (document === undefined || others.length > 0) return { problems: ['the file must have one document'] };
  unknownFields(document, ['cluster', 'targets'], 'the file', problems);
  const { cluster, targets: listed } = document;
  if (cluster !== undefined && typeof cluster !== 'string') problems.push('cluster must be a string');
  if (!Array.isArray(listed)) return { problems: [...problems, 'targets must be a list'] };
  const targets: Target[] = [];
  for (const [index, fields] of listed.entries()) {
    const target = await readTarget(fields, `targets[${index}]`, path.dirname(file), problems);
    if (target === undefined) continue;
    if (targets.some(({ name }) => name === target.name))
      problems.push(`targets[${index}]: another target has the name ${target.name}`);
    targets.push(target);
  }
  if (problems.length > 0) return { problems };
  return { cluster: cluster as string | undefined, targets };
}

async function readTarget(
  fields: unknown,
  where: string,
  folder: string,
  problems: string[],
): Promise<Target | undefined> {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    problems.push(`${where} must be an object`);
    return undefined;
  }
  const given = fields as Fields;
  unknownFields(given, targetFields, where, problems);
  const { name, format = 'cloudevents', timeout, allowHttp = false } = given;
  if (typeof name !== 'string' || !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) {
    problems.push(`${where}.name must be a lowercase RFC 1123 label`);
    return undefined;
  }
  const at = `target ${name}`;
  const isFormat = formats.some((each) => each === format);
  if (!isFormat) problems.push(`${at}: format must be one of ${formats.join(', ')}`);
  if (typeof allowHttp !== 'boolean') problems.push(`${at}: allowHttp must be true or false`);
  const timeoutMs = timeout === undefined ? defaultTimeoutMs : parseDuration(String(timeout));
  if (timeoutMs === undefined || timeoutMs < 1 || timeoutMs > longestTimeoutMs)
    problems.push(`${at}: timeout must be a duration of at most 60s`);
  const fileOf = async (field: string) =>
    given[field] === undefined ? undefined : await read(given[field], `${at}: ${field}`, problems, folder);
  const url = await readUrl(given, fileOf, at, problems);
  const keys = await fileOf('signingKeyFile');
  const signingKeys = keys === undefined ? [] : parseSigningKeys(keys);
  if (signingKeys === undefined)
    problems.push(`${at}: signingKeyFile must have whsec_ and 24 to 64 bytes in base64 in each line`);
  const ca = await fileOf('caFile');
  const namespaces = strings(given, 'namespaces', at, problems);
  const outcomes = strings(given, 'outcomes', at, problems);
  for (const each of outcomes ?? [])
    if (!outcomeNames.some((known) => known === each))
      problems.push(`${at}: outcomes must be among ${outcomeNames.join(', ')}`);
  if (url === undefined || signingKeys === undefined || timeoutMs === undefined) return undefined;
  return {
    ...{ name, url, signingKeys, namespaces, timeoutMs, ca },
    format: format as Target['format'],
    outcomes: outcomes as OutcomeName[] | undefined,
  };
}

async function readUrl(
  { url, urlFile, allowHttp }: Fields,
  fileOf: (field: string) => Promise<string | undefined>,
  at: string,
  problems: string[],
): Promise<URL | undefined> {
  if ((url === undefined) === (urlFile === undefined)) {
    problems.push(`${at}: set either url or urlFile`);
    return undefined;
  }
  const text = url ?? (await fileOf('urlFile'));
  if (text === undefined) return undefined;
  const parsed = URL.parse(String(text).trim());
  if (parsed === null || !['https:', 'http:'].includes(parsed.protocol))
    problems.push(`${at}: the URL is not a valid https URL`);
  else if (parsed.protocol === 'http:' && allowHttp !== true)
    problems.push(
      `${at}: the URL must be https; allowHttp: true sends names of configs and users unencrypted`,
    );
  else if (parsed.username !== '' || parsed.password !== '')
    problems.push(`${at}: the URL must not contain credentials`);
  return parsed ?? undefined;
}

function strings(fields: Fields, field: string, at: string, problems: string[]): string[] | undefined {
  const value = fields[field];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string'))
    return value;
  problems.push(`${at}: ${field} must be a list of strings that is not empty`);
  return undefined;
}

function unknownFields(fields: Fields, known: readonly string[], where: string, problems: string[]): void {
  for (const field of Object.keys(fields))
    if (!known.includes(field)) problems.push(`${where}: unknown field ${JSON.stringify(field)}`);
}

async function read(
  file: unknown,
  what: string,
  problems: string[],
  folder = '.',
): Promise<string | undefined> {
  if (typeof file !== 'string' || file === '') {
    problems.push(`${what} must be the path of a file`);
    return undefined;
  }
  try {
    return await readFile(path.resolve(folder, file), 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown error';
    problems.push(`${what} cannot be read (${code})`);
    return undefined;
  }
}
