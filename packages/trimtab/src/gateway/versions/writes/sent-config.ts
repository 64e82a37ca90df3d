import type { ConfigKind } from '../../../core/references/references.ts';
import { refuseType } from '../../../versions/writes/refuse-type.ts';
import { configBody, type SentConfig } from '../../request/config-body.ts';
import { checkUnknownFields, type WriteParameters, writeParameters } from '../../request/field-validation.ts';
import type { GatewayRequest } from '../../request/gateway-request.ts';
import { refuseDuplicates } from '../../request/parse-body.ts';
import type { ParsedText } from '../../request/parse-limits.ts';

export interface ReadConfig extends SentConfig {
  parameters: WriteParameters;
  /** Warnings for the caller. */
  warnings: string[];
}

/** Validates the config of a body, as far as this is possible without the API server. */
export function sentConfig(kind: ConfigKind, request: GatewayRequest, parsed: ParsedText): ReadConfig {
  const parameters = writeParameters(request.query);
  refuseDuplicates(parsed);
  return checkedConfig(kind, parsed.value, parameters);
}

/** Validates a parsed config. */
export function checkedConfig(kind: ConfigKind, value: unknown, parameters: WriteParameters): ReadConfig {
  const sent = configBody(kind, value);
  const warnings = checkUnknownFields(sent.unknown, parameters.fieldValidation, kind);
  const { type, metadata } = sent.body;
  refuseType({ kind, name: metadata.name ?? '' }, type);
  return { ...sent, parameters, warnings };
}
