import { badRequest, StatusError } from '../errors/status-error.ts';
import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import { type ApiObject, clone, isObject } from '../object.ts';
import { DecodeError } from '../schema/scalars.ts';
import { type Applied, ApplyConflicts, applyConfig, type Conflict } from './apply-config.ts';
import { configProblem } from './check-config.ts';
import { conflictStatus } from './conflict-status.ts';
import { realConflicts, refreshLastApplied } from './last-applied.ts';
import type { Managers } from './managers.ts';
import { readManagers, setManagers } from './object-managers.ts';
import { type Rules, trackUpdate } from './track-update.ts';
import { bare, emptyObject, managerIdentity, rulesOf, shapeOfKind, type Writer } from './writer.ts';

/** Returns the object that results from applying a config; a copy of the live one if unchanged. Throws StatusError. */
export function applyWrite(
  writer: Writer,
  live: ApiObject | undefined,
  config: Record<string, unknown>,
  force: boolean,
): ApiObject {
  const rules = rulesOf(writer);
  checkConfig(writer.kind, config);
  const base = live === undefined ? emptyObject(writer.kind) : bare(live);
  const { object, managers } = applied(writer, base, managersOf(writer, live, base, rules), config, force);
  const isSame = live !== undefined && object === base;
  const next = isSame ? clone(base) : decoded(writer.kind, object, config);
  if (writer.manager === 'kubectl') refreshLastApplied(next, config);
  setManagers(next, managers);
  return next;
}

/** Fields of an object without recorded managers belong to the manager `before-first-apply`. */
function managersOf(writer: Writer, live: ApiObject | undefined, base: ApiObject, rules: Rules): Managers {
  const managers = readManagers(live?.metadata.managedFields) ?? new Map();
  if (managers.size > 0 || live === undefined) return managers;
  const before = managerIdentity({ ...writer, manager: 'before-first-apply' }, 'Update');
  return trackUpdate(emptyObject(writer.kind), base, managers, before, rules, writer.time);
}

function applied(
  writer: Writer,
  base: ApiObject,
  managers: Managers,
  config: Record<string, unknown>,
  force: boolean,
): Applied {
  const who = managerIdentity(writer, 'Apply');
  const rules = rulesOf(writer);
  try {
    return applyConfig(base, config, managers, who, { ...rules, force }, writer.time);
  } catch (error) {
    if (!(error instanceof ApplyConflicts)) throw error;
    const isKubectl = writer.manager === 'kubectl';
    const { conflicts } = error;
    const real = isKubectl ? realConflicts(conflicts, base, who.apiVersion, rules.shape) : conflicts;
    if (real.length > 0) throw conflictStatus(real.map((each) => asSeen(each, writer)));
    return applyConfig(base, config, managers, who, { ...rules, force: true }, writer.time);
  }
}

/** In conflicts of a Scale, all other managers appear as managers of Scales. */
function asSeen(conflict: Conflict, { subresource }: Writer): Conflict {
  if (subresource !== 'scale') return conflict;
  return { ...conflict, with: { ...conflict.with, apiVersion: 'autoscaling/v1' } };
}

/** Throws a StatusError for a config that cannot be applied to objects of the kind. */
export function checkConfig(kind: Kind, config: Record<string, unknown>): void {
  const { kind: given, apiVersion } = config;
  if (given !== kind.kind || apiVersion !== apiVersionOf(kind))
    throw badRequest(`invalid object type: ${typeText(apiVersion, given)}`);
  const { metadata } = config;
  const sent = isObject(metadata) ? metadata['managedFields'] : undefined;
  if (sent !== undefined && sent !== null) throw badRequest('metadata.managedFields must be nil');
  const problem = configProblem(config, shapeOfKind(kind));
  if (problem !== undefined)
    throw new StatusError(
      500,
      undefined,
      `failed to create typed patch object (${nameText(config)}): ${problem}`,
    );
}

function decoded(kind: Kind, object: unknown, config: Record<string, unknown>): ApiObject {
  try {
    return kind.codec.decode(object, []);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const type = typeText(config['apiVersion'], config['kind']);
    // Bytes are the only type that Kubernetes decodes from JSON again here, which adds a prefix to the error.
    const why = error.message.startsWith('illegal base64')
      ? `error decoding from json: ${error.message}`
      : error.message;
    throw new StatusError(
      500,
      undefined,
      `failed to convert new object (${nameText(config)}) to proper version: unable to convert unstructured object to ${type}: ${why}`,
    );
  }
}

/** `apps/v1, Kind=Deployment` */
function typeText(apiVersion: unknown, kind: unknown): string {
  const text = typeof apiVersion === 'string' ? apiVersion : '';
  return `${text.includes('/') ? text : `/${text}`}, Kind=${typeof kind === 'string' ? kind : ''}`;
}

function nameText(config: Record<string, unknown>): string {
  const { namespace, name } = isObject(config['metadata']) ? config['metadata'] : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return `${text(namespace)}/${text(name)}; ${typeText(config['apiVersion'], config['kind'])}`;
}
