import { badRequest, methodNotAllowed, noSuchResource } from './errors/status-error.ts';
import { podLog } from './node-proxy/pod-log.ts';
import { bind } from './verbs/bind.ts';
import { create } from './verbs/create.ts';
import { remove } from './verbs/delete.ts';
import { deleteCollection } from './verbs/delete-collection.ts';
import { finalize } from './verbs/finalize.ts';
import { get } from './verbs/get.ts';
import { list } from './verbs/list.ts';
import { patch } from './verbs/patch.ts';
import { review } from './verbs/review.ts';
import { getScale, patchScale, updateScale } from './verbs/scale.ts';
import { subresourcesOf } from './verbs/subresources.ts';
import { createToken } from './verbs/token.ts';
import { update } from './verbs/update.ts';
import type { Answer, VerbRequest } from './verbs/verb-request.ts';
import { watch } from './verbs/watch.ts';

type Verb = (request: VerbRequest) => Answer | Promise<Answer>;

const verbs: Record<string, Verb> = {
  create,
  get,
  list,
  watch,
  update,
  patch,
  delete: remove,
  deletecollection: deleteCollection,
};

/** Handlers of subresources, keyed by `<subresource> <verb>`. */
const subresources: Record<string, Verb> = {
  'status get': get,
  'status update': update,
  'status patch': patch,
  'ephemeralcontainers get': get,
  'ephemeralcontainers update': update,
  'ephemeralcontainers patch': patch,
  'scale get': getScale,
  'scale update': updateScale,
  'scale patch': patchScale,
  'finalize update': finalize,
  'token create': createToken,
  'log get': podLog,
  'exec get': upgradeRequired,
  'exec create': upgradeRequired,
  'attach get': upgradeRequired,
  'attach create': upgradeRequired,
  'portforward get': upgradeRequired,
  'portforward create': upgradeRequired,
  'binding create': bind,
};

/** Sessions need a protocol upgrade (see node-proxy/pod-session.ts); a plain HTTP request is refused. */
function upgradeRequired(): Answer {
  throw badRequest('Upgrade request required');
}

/** Returns the handler of a request about a kind. Throws a StatusError when there is none. */
export function verbFor({ kind, info, incoming }: VerbRequest): Verb {
  const { subresource, namespace, name } = info;
  if (info.verb === 'watch') {
    if (subresource !== '') throw noSuchResource();
    if (incoming.method !== 'GET') throw methodNotAllowed();
  }
  if (subresource !== '') {
    const known = subresourcesOf(kind).find((each) => each.name === subresource);
    const verb = subresources[`${subresource} ${info.verb}`];
    if (known === undefined) throw noSuchResource();
    if (verb === undefined || !known.verbs.includes(info.verb)) throw methodNotAllowed();
    return verb;
  }
  const verb = Object.hasOwn(verbs, info.verb) ? verbs[info.verb] : undefined;
  if (verb === undefined || !kind.verbs.includes(info.verb)) throw methodNotAllowed();
  // Without a namespace, objects of a namespaced kind can only be listed and watched.
  const isPlaced = !kind.namespaced || namespace !== undefined;
  if (!isPlaced && (name !== undefined || !['list', 'watch'].includes(info.verb)))
    throw name === undefined ? methodNotAllowed() : noSuchResource();
  if (!kind.namespaced && namespace !== undefined) throw noSuchResource();
  if (info.verb === 'create' && name !== undefined) throw methodNotAllowed();
  if (['update', 'patch'].includes(info.verb) && name === undefined) throw methodNotAllowed();
  return info.verb === 'create' && kind.review !== undefined ? review : verb;
}
