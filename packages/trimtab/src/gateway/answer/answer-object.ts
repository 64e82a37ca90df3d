import type { GatewayRequest } from '../request/gateway-request.ts';
import { answerYaml } from './answer-yaml.ts';
import { type AnswerOptions, wantsYaml, writeObject } from './write-answer.ts';

/** Answers with an object as JSON, or as YAML to a client that accepts YAML. */
export async function answerObject(
  request: Pick<GatewayRequest, 'incoming' | 'response' | 'turn' | 'unsent'>,
  code: number,
  object: unknown,
  options: AnswerOptions = {},
): Promise<'answered'> {
  const { incoming, response, unsent } = request;
  if (wantsYaml(incoming)) await answerYaml(request, code, JSON.stringify(object), options);
  else writeObject(response, code, object, { ...options, unsent });
  return 'answered';
}
