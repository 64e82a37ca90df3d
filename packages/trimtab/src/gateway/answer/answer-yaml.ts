import type { GatewayRequest } from '../request/gateway-request.ts';
import { type AnswerOptions, chargeFor, writeText } from './write-answer.ts';
import { yamlText } from './yaml-text.ts';

/** Answers with JSON text as YAML. Writing YAML takes long and waits for a turn; what waits is counted as unsent. */
export async function answerYaml(
  { response, turn, unsent }: Pick<GatewayRequest, 'response' | 'turn' | 'unsent'>,
  code: number,
  json: string,
  options: AnswerOptions = {},
): Promise<void> {
  const charged = chargeFor(response, unsent, Buffer.byteLength(json));
  try {
    await turn();
  } finally {
    unsent.release(charged);
  }
  writeText(response, code, 'application/yaml', yamlText(json), { ...options, unsent });
}
