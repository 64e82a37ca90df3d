import { partialMetadata } from '../representation/partial-metadata.ts';
import { renderJson } from '../representation/render.ts';
import { mediaType, readBody } from '../request/body.ts';
import { decodeBody, targetOf } from '../request/decode-body.ts';
import { writeOptions } from '../request/options.ts';
import { placeInNamespace } from './create.ts';
import type { Answer, VerbRequest } from './verb-request.ts';

/** POST of a review kind: returns the result without storing the object. */
export async function review(request: VerbRequest): Promise<Answer> {
  const { kind, query, incoming, info, render } = request;
  const options = writeOptions(query, 'CreateOptions');
  const body = await readBody(incoming);
  const { object, warnings } = decodeBody(body, mediaType(incoming), targetOf(kind), options.fieldValidation);
  request.warnings.push(...warnings);
  placeInNamespace(object, kind, info.namespace);
  const answer = kind.review?.(object, request);
  const shown = answer && render.as.shape === 'metadata' ? partialMetadata(answer, render.as) : answer;
  return { code: 201, body: renderJson(shown, render.as) };
}
