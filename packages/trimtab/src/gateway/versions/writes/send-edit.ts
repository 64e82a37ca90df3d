import { isDeepStrictEqual } from 'node:util';
import { isConflict } from '@trimtab/kube/transport/errors.ts';
import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../../../api/config-body.ts';
import { annotations, labels } from '../../../api/names.ts';
import { readLive } from '../../../versions/read-config.ts';
import type { WriteContext } from '../../../versions/writes/write-context.ts';
import { lastApplied } from './applied-manifest.ts';
import { type Fields, isFields } from './named-version.ts';
import type { NamedEdit, NamedWrite } from './named-write.ts';

/** The object that the API server has made of a write: with its merges, defaults and admission. */
export interface WrittenConfig {
  object: ConfigBody;
  /** The texts of the API server's Warning headers. */
  warnings: string[];
}

export async function sendEdit(
  { client }: Pick<WriteContext, 'client'>,
  { request, body }: Pick<NamedWrite, 'request' | 'body'>,
  more: Record<string, string> = {},
): Promise<WrittenConfig> {
  const { incoming, query } = request;
  const [path = ''] = (incoming.url ?? '').split('?');
  const warnings: string[] = [];
  const object = await client.raw<ConfigBody>({
    method: incoming.method === 'PUT' ? 'PUT' : 'PATCH',
    path,
    query: { ...Object.fromEntries(query), ...more },
    body,
    contentType: incoming.headers['content-type'] ?? 'application/json',
    onWarning: (text) => void warnings.push(text),
  });
  return { object, warnings };
}

/**
 * The controller labels a config twice at most: when it becomes managed, and when its release mode changes. After more
 * conflicts, the client repeats its request.
 */
export const maxAttempts = 3;

/**
 * Writes an edit whose dry run succeeded. The controller labels a config as soon as it is managed, which raises the
 * resourceVersion: an edit of exactly the state before is then sent again for the state with the labels.
 */
export async function writeEdit(context: WriteContext, edit: NamedEdit): Promise<WrittenConfig> {
  let { body } = edit;
  for (let attempt = 1; ; attempt++)
    try {
      return await sendEdit(context, { ...edit, body });
    } catch (error) {
      const sent = sentResourceVersion(edit);
      if (!isConflict(error) || sent !== edit.live.metadata.resourceVersion || attempt === maxAttempts)
        throw error;
      const now = await readLive(context.client, edit.address);
      if (now === undefined || !isDeepStrictEqual(withoutOurLabels(now), withoutOurLabels(edit.live)))
        throw error;
      body = withResourceVersion(body, now.metadata.resourceVersion);
    }
}

/** The resourceVersion that the object in the cluster must have for the edit. */
export function sentResourceVersion({ body }: Pick<NamedWrite, 'body'>): string | undefined {
  const metadata = isFields(body) ? body['metadata'] : undefined;
  const sent = isFields(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof sent === 'string' && sent !== '' ? sent : undefined;
}

/** The same patch, for a config that has this resourceVersion. The API server refuses it with Conflict for any other. */
export function ofState<Edit extends NamedEdit>(edit: Edit, resourceVersion: string | undefined): Edit {
  const { form, body } = edit;
  if (resourceVersion === undefined) return edit;
  if (form !== 'json-patch') return { ...edit, body: withResourceVersion(body, resourceVersion) };
  const operation = { op: 'add', path: '/metadata/resourceVersion', value: resourceVersion };
  return { ...edit, body: [...(body as readonly unknown[]), operation] };
}

/**
 * Whether the API server keeps what `kubectl apply --server-side` sends in an annotation of the config, for later applies
 * by the client. A resourceVersion must not get into it.
 */
export function isKeptForKubectl({ form, request, live }: NamedEdit): boolean {
  return (
    form === 'apply' &&
    request.query.get('fieldManager') === 'kubectl' &&
    live.metadata.annotations?.[lastApplied] !== undefined
  );
}

/** The same apply without the name of the version, which removes it from the config. */
export function withoutVersionName<Edit extends NamedEdit>(edit: Edit): Edit {
  const { metadata, ...rest } = edit.body as { metadata: { annotations: Fields } };
  const { [annotations.version]: _, ...others } = metadata.annotations;
  return { ...edit, body: { ...rest, metadata: { ...metadata, annotations: others } } };
}

function withResourceVersion(body: unknown, resourceVersion: string | undefined): unknown {
  const { metadata, ...rest } = body as { metadata: object };
  return { ...rest, metadata: { ...metadata, resourceVersion } };
}

function withoutOurLabels({ metadata, ...content }: ConfigBody): unknown {
  const {
    managedFields: _,
    resourceVersion: __,
    labels: own = {},
    ...rest
  } = metadata as ObjectMeta & { managedFields?: unknown };
  const { [labels.config]: ___, [labels.locked]: ____, ...others } = own;
  return { ...content, metadata: { ...rest, labels: others } };
}
