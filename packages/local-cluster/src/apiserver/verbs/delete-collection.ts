import { StatusError } from '../errors/status-error.ts';
import { renderList } from '../representation/render.ts';
import { listOptions } from '../request/options.ts';
import { parseObject } from '../storage/object-text.ts';
import { deleteObject, readDeleteOptions } from './delete.ts';
import { readList } from './list.ts';
import { selectionOf } from './selection.ts';
import type { Answer, VerbRequest } from './verb-request.ts';

/** Deletes each object separately: a refusal does not stop the others, and missing objects are skipped. */
export async function deleteCollection(request: VerbRequest): Promise<Answer> {
  const { kind, info, query, services, render } = request;
  const selected = listOptions(query);
  const options = await readDeleteOptions(request);
  const { texts, metadata } = readList(
    services.storage,
    kind,
    info.namespace,
    selected,
    selectionOf(kind, selected),
  );
  const deletions = texts.map(async (text) => {
    const { namespace, name = '' } = parseObject(text).metadata;
    const one = { ...request, info: { ...info, namespace } };
    await deleteObject(one, name, options).catch((error: unknown) => {
      if (!(error instanceof StatusError && error.status.reason === 'NotFound')) throw error;
    });
  });
  const failed = (await Promise.allSettled(deletions)).find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return { code: 200, body: renderList(kind, texts, metadata, render) };
}
