import type { GatewayRequest } from '../request/gateway-request.ts';
import { type AnswerOptions, wantsYaml, writeObject } from './write-answer.ts';

/** Answers with an object as JSON, or as YAML to a client that accepts YAML. Writing YAML takes long, and waits for a turn. */
export async function answerObject(
  { incoming, response, turn, unsent }: Pick<GatewayRequest, 'incoming' | 'response' | 'turn' | 'unsent'>,
  code: number,
  object: unknown,
  options: AnswerOptions = {},
): Promise<'answered'> {
  if (wantsYaml(incoming)) await turn();
  writeObject(response, code, object, { ...options, unsent });
  return 'answered';
}
