import type { UserInfo } from '../admission/admission.ts';
import type { Attributes } from '../rbac/attributes.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { parseFieldSelector } from '../selector/field-selector.ts';

/** A request in the terms of authorisation. */
export function attributesFor(user: UserInfo, info: RequestInfo, query: URLSearchParams): Attributes {
  const { verb, group, resource, subresource, namespace } = info;
  if (!info.isResource) return { user, verb, path: info.path };
  const name = info.name ?? selectedName(verb, query) ?? '';
  // Of a namespace itself, roles in that namespace hold.
  const isNamespace = group === '' && resource === 'namespaces' && info.name !== undefined;
  const where = isNamespace ? info.name : namespace;
  return { user, verb, group, resource, subresource, namespace: where ?? '', name };
}

/** Who lists nothing but one object by its name may do so with a right to that name. */
function selectedName(verb: string, query: URLSearchParams): string | undefined {
  if (!['list', 'watch', 'deletecollection'].includes(verb)) return undefined;
  try {
    const fields = parseFieldSelector(query.get('fieldSelector') ?? '');
    return fields.find(({ field, equals }) => field === 'metadata.name' && equals)?.value;
  } catch {
    // What is wrong with it is told to those who may ask at all.
    return undefined;
  }
}
