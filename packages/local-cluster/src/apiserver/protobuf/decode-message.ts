import { setKey } from '../object.ts';
import { type FieldDefinition, fieldsOfMessage } from './message-definitions.ts';
import { ProtobufProblem, wireFields } from './wire.ts';

/** Limit for the nesting of messages, which the client controls. */
const maxDepth = 100;

/** Converts a message to its JSON form. Throws ProtobufProblem. */
export function decodeMessage(bytes: Buffer, name: string, depth = 0): unknown {
  if (depth > maxDepth)
    throw new ProtobufProblem(`proto: message is nested more than ${maxDepth} levels deep`);
  const special = specialMessages[name.slice(name.lastIndexOf('.') + 1)];
  if (special !== undefined) return special(bytes, depth, name);
  return decodeFields(bytes, name, depth);
}

function decodeFields(bytes: Buffer, name: string, depth: number): Record<string, unknown> {
  const definition = fieldsOfMessage(name);
  if (definition === undefined) throw new ProtobufProblem(`proto: unknown message type ${name}`);
  const result: Record<string, unknown> = {};
  for (const { number, value } of wireFields(bytes)) {
    const field = definition.find((each) => each[0] === number);
    if (field !== undefined) setField(result, field, value, depth);
  }
  return result;
}

function setField(
  result: Record<string, unknown>,
  [, name, marked]: FieldDefinition,
  value: bigint | Buffer,
  depth: number,
): void {
  const type = marked.replace(/^[*%<]/, '');
  switch (marked[0]) {
    case '*':
      result[name] ??= [];
      (result[name] as unknown[]).push(decodeValue(value, type, depth));
      return;
    case '%': {
      result[name] ??= {};
      const [key, entry] = decodeEntry(value, type, depth);
      setKey(result[name] as object, key, entry);
      return;
    }
    case '<':
      Object.assign(result, decodeValue(value, type, depth));
      return;
    default:
      result[name] = decodeValue(value, type, depth);
  }
}

function decodeEntry(value: bigint | Buffer, type: string, depth: number): [key: string, value: unknown] {
  let key = '';
  let entry: unknown;
  for (const field of wireFields(bytesOf(value)))
    if (field.number === 1) key = bytesOf(field.value).toString('utf8');
    else if (field.number === 2) entry = decodeValue(field.value, type, depth);
  return [key, entry ?? (type === 'string' || type === 'bytes' ? '' : null)];
}

function decodeValue(value: bigint | Buffer, type: string, depth: number): unknown {
  switch (type) {
    case 'string':
      return bytesOf(value).toString('utf8');
    case 'bytes':
      return bytesOf(value).toString('base64');
    case 'bool':
      return numberOf(value) !== 0;
    case 'int':
      return numberOf(value);
    case 'double':
      return bytesOf(value).readDoubleLE();
    default:
      return decodeMessage(bytesOf(value), type, depth + 1);
  }
}

function bytesOf(value: bigint | Buffer): Buffer {
  if (typeof value === 'bigint') throw new ProtobufProblem('proto: wrong wireType');
  return value;
}

function numberOf(value: bigint | Buffer): number {
  if (typeof value !== 'bigint') throw new ProtobufProblem('proto: wrong wireType');
  return Number(value);
}

function fieldsOf(bytes: Buffer): Map<number, bigint | Buffer> {
  return new Map(wireFields(bytes).map(({ number, value }) => [number, value]));
}

/** Messages whose JSON form is not an object with their fields. */
const specialMessages: Record<string, (bytes: Buffer, depth: number, name: string) => unknown> = {
  Time: (bytes) => timeOf(bytes, 'seconds'),
  MicroTime: (bytes) => timeOf(bytes, 'micros'),
  Quantity: (bytes) => bytesOf(fieldsOf(bytes).get(1) ?? Buffer.alloc(0)).toString('utf8') || '0',
  IntOrString(bytes) {
    const fields = fieldsOf(bytes);
    if (numberOf(fields.get(1) ?? 0n) === 1)
      return bytesOf(fields.get(3) ?? Buffer.alloc(0)).toString('utf8');
    return numberOf(fields.get(2) ?? 0n);
  },
  RawExtension: rawJson,
  FieldsV1: rawJson,
  JSON: rawJson,
  ExtraValue: (bytes) => [...wireFields(bytes)].map(({ value }) => bytesOf(value).toString('utf8')),
  JSONSchemaPropsOrArray: either('jSONSchemas', 'schema'),
  JSONSchemaPropsOrBool: either('schema', 'allows'),
  JSONSchemaPropsOrStringArray: either('property', 'schema'),
};

/** A message with one of two values; its JSON form is that value. */
function either(first: string, second: string) {
  return (bytes: Buffer, depth: number, name: string) => {
    const fields = decodeFields(bytes, name, depth);
    return fields[first] ?? fields[second] ?? null;
  };
}

function timeOf(bytes: Buffer, digits: 'seconds' | 'micros'): string | null {
  const fields = fieldsOf(bytes);
  if (!fields.has(1)) return null;
  const seconds = numberOf(fields.get(1) ?? 0n);
  const moment = new Date(seconds * 1000);
  if (Number.isNaN(moment.getTime())) throw new ProtobufProblem('proto: time out of range');
  const text = moment.toISOString().slice(0, 19);
  if (digits === 'seconds') return `${text}Z`;
  const micros = Math.floor(numberOf(fields.get(2) ?? 0n) / 1000);
  return `${text}.${String(micros).padStart(6, '0')}Z`;
}

function rawJson(bytes: Buffer): unknown {
  const raw = fieldsOf(bytes).get(1);
  if (raw === undefined) return null;
  try {
    return JSON.parse(bytesOf(raw).toString('utf8'));
  } catch {
    throw new ProtobufProblem('proto: raw bytes are not JSON');
  }
}
