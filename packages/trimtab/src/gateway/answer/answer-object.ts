import type { GatewayRequest } from '../request/gateway-request.ts';
import { type AnswerOptions, wantsYaml, writeObject } from './write-answer.ts';

/** Answers with an object as JSON, or as YAML to a client that accepts YAML. Writing YAML takes long, and waits for a turn. */
export async function answerObject(
  { incoming, response, turn }: Pick<GatewayRequest, 'incoming' | 'response' | 'turn'>,
  code: number,
  object: unknown,
  options: AnswerOptions = {},
): Promise<'answered'> {
  if (wantsYaml(incoming)) await turn();
  writeObject(response, code, object, options);
  return 'answered';
}
