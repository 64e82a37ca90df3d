import type { UserInfo } from '../admission/admission.ts';
import type { Attributes } from '../rbac/attributes.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { parseFieldSelector } from '../selector/field-selector.ts';

/** Returns the authorisation attributes of a request. */
export function attributesFor(user: UserInfo, info: RequestInfo, query: URLSearchParams): Attributes {
  const { verb, group, resource, subresource, namespace } = info;
  if (!info.isResource) return { user, verb, path: info.path };
  const name = info.name ?? selectedName(verb, query) ?? '';
  // Roles in a namespace also apply to the Namespace object itself.
  const isNamespace = group === '' && resource === 'namespaces' && info.name !== undefined;
  const where = isNamespace ? info.name : namespace;
  return { user, verb, group, resource, subresource, namespace: where ?? '', name };
}

/** A list that selects one object by its name is allowed with a permission for that name. */
function selectedName(verb: string, query: URLSearchParams): string | undefined {
  if (!['list', 'watch', 'deletecollection'].includes(verb)) return undefined;
  try {
    const fields = parseFieldSelector(query.get('fieldSelector') ?? '');
    return fields.find(({ field, equals }) => field === 'metadata.name' && equals)?.value;
  } catch {
    // An invalid selector is reported after authorisation.
    return undefined;
  }
}
