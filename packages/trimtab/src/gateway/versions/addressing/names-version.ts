import type { BodyFormat } from '../../request/content-type.ts';
import type { GatewayRequest } from '../../request/gateway-request.ts';
import { parseBody, parseLeniently, utf16Of } from '../../request/parse-body.ts';
import { BeyondLimits, maxDuplicates, type ParsedText } from '../../request/parse-limits.ts';

/** Whether a parsed body names a version. A body that names one in a wrong way, and so is refused, counts as well. */
type Names = (value: unknown) => boolean;

/**
 * Parses the body of a write that may name a version. Returns undefined for a body that names none, which an API server
 * handles on its own. A body that only the gateway refuses to parse is refused if it may name a version: an API server
 * would drop the version. `turn` waits for another turn to use the CPU.
 */
export async function parseIfNamed(
  body: Buffer,
  format: BodyFormat,
  names: Names,
  turn: GatewayRequest['turn'],
): Promise<ParsedText | undefined> {
  // A cheap check that settles nearly every write. A backslash may be part of an escaped key.
  if (!body.includes('version') && !body.includes('\\') && utf16Of(body) === undefined) return undefined;
  try {
    const parsed = parseBody(body, format);
    return mayName(parsed, names) ? parsed : undefined;
  } catch (error) {
    if (error instanceof BeyondLimits) throw error;
    // The body is parsed once in each turn.
    await turn();
    const lenient = parseLeniently(body, format);
    if (lenient === 'refused' || (lenient !== undefined && mayName(lenient, names))) throw error;
    return undefined;
  }
}

function mayName({ value, duplicates }: ParsedText, names: Names): boolean {
  // A list at its limit may lack the duplicate that matters.
  const isCut = duplicates.length === maxDuplicates;
  return isCut || duplicates.some((path) => hiding.includes(path)) || names(value);
}

/** Duplicate fields of which one may name a version that the other hides. */
const hiding = ['metadata', 'metadata.version', 'metadata.<<'];

/** Whether a config has the field `metadata.version`. */
export function hasVersion(value: unknown): boolean {
  const { metadata } = (value ?? {}) as { metadata?: { version?: unknown } | null };
  return metadata?.version !== undefined;
}
