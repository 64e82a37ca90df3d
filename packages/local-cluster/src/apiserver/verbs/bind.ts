import { timestamp } from '../../objects/timestamp.ts';
import { notSupported, required } from '../errors/field-error.ts';
import { badRequest, conflict, StatusError } from '../errors/status-error.ts';
import type { Pod } from '../kinds/core/pod-types.ts';
import { defineKind } from '../kinds/define-kind.ts';
import { dnsSubdomain } from '../meta/names.ts';
import { type ApiObject, clone } from '../object.ts';
import { renderJson } from '../representation/render.ts';
import { mediaType, readBody } from '../request/body.ts';
import { decodeBody, targetOf } from '../request/decode-body.ts';
import { writeOptions } from '../request/options.ts';
import { uidMismatch, updateObject } from './update.ts';
import type { Answer, VerbRequest } from './verb-request.ts';

interface Binding extends ApiObject {
  target: { kind?: string; name?: string };
}

/** Served as a subresource of pods only. */
const bindingKind = defineKind<Binding>({
  group: '',
  kind: 'Binding',
  plural: 'bindings',
  definition: 'io.k8s.api.core.v1.Binding',
  strategy: { nameRule: dnsSubdomain },
  columns: [],
});

/** POST pods/x/binding assigns a pod to a node. A second binding is refused, as two schedulers may compete. */
export async function bind(request: VerbRequest): Promise<Answer> {
  const { query, incoming, info, services, render } = request;
  const options = writeOptions(query, 'CreateOptions');
  const body = await readBody(incoming);
  const type = mediaType(incoming);
  const { object, warnings } = decodeBody(body, type, targetOf(bindingKind), options.fieldValidation);
  request.warnings.push(...warnings);
  const binding = object as Binding;
  if (binding.metadata.name !== info.name)
    throw badRequest('name in URL does not match name in Binding object');
  checkTarget(binding);
  const shownAs = {
    subresource: 'binding',
    operation: 'CREATE' as const,
    kind: { group: '', version: 'v1', kind: 'Binding' },
    convert: () => object,
  };
  await updateObject({ ...request, shownAs }, options, (old) =>
    bound(request, old as Pod, binding, timestamp(services.clock.now())),
  );
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  return { code: 201, body: renderJson(status, render.as) };
}

function checkTarget({ target }: Binding): void {
  const { kind = '', name = '' } = target ?? {};
  const errors = [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(name === '' ? [required('target.name')] : []),
  ];
  // Kubernetes responds with 500 instead of 422 here.
  const texts = errors.map(({ field, body }) => `${field}: ${body}`);
  if (texts.length > 0)
    throw new StatusError(500, undefined, texts.length === 1 ? `${texts[0]}` : `[${texts.join(', ')}]`);
}

function bound({ kind }: VerbRequest, old: Pod, { metadata, target }: Binding, now: string): Pod {
  const { name = '', uid } = old.metadata;
  if (metadata.uid && metadata.uid !== uid)
    throw uidMismatch(kind, { ...old, metadata: { ...old.metadata, uid: metadata.uid } }, uid ?? '');
  const refuse = (why: string) => conflict({ group: '', plural: 'pods/binding' }, name, `pod ${name} ${why}`);
  if (old.metadata.deletionTimestamp !== undefined)
    throw refuse('is being deleted, cannot be assigned to a host');
  if (old.spec.nodeName) throw refuse(`is already assigned to node ${JSON.stringify(old.spec.nodeName)}`);
  if ((old.spec.schedulingGates ?? []).length > 0) throw refuse('has non-empty .spec.schedulingGates');
  const pod = clone(old) as Pod;
  // Without a resourceVersion the update is retried after a conflict.
  pod.metadata.resourceVersion = '';
  pod.spec.nodeName = target.name ?? '';
  for (const part of ['annotations', 'labels'] as const)
    if (metadata[part] !== undefined) pod.metadata[part] = { ...pod.metadata[part], ...metadata[part] };
  const others = (pod.status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  const isScheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now };
  pod.status.conditions = [...others, isScheduled];
  return pod;
}
