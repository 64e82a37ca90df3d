import type { Namespace } from '../kinds/core/namespace.ts';
import { clone } from '../object.ts';
import { renderObject } from '../representation/render.ts';
import { mediaType, readBody } from '../request/body.ts';
import { decodeBody, targetOf } from '../request/decode-body.ts';
import { writeOptions } from '../request/options.ts';
import { checkName, updateObject } from './update.ts';
import type { Answer, VerbRequest } from './verb-request.ts';

/** PUT namespaces/x/finalize changes the finalizers of a namespace. Removing the last one deletes the namespace. */
export async function finalize(request: VerbRequest): Promise<Answer> {
  const { kind, query, incoming, info, render } = request;
  const options = writeOptions(query, 'UpdateOptions');
  const body = await readBody(incoming);
  const { object } = decodeBody(body, mediaType(incoming), targetOf(kind), options.fieldValidation);
  checkName(object, info.name ?? '');
  const updated = await updateObject(request, options, (old) => {
    const next = clone(old) as Namespace;
    next.spec = (object as Namespace).spec;
    next.metadata.resourceVersion = object.metadata.resourceVersion ?? '';
    return next;
  });
  return { code: 200, body: renderObject(kind, updated, render) };
}
