import { isObject } from '../object.ts';
import { goFields } from '../schema/definitions.ts';
import { type FieldDefinition, fieldsOfMessage } from './message-definitions.ts';
import { ProtobufProblem } from './wire.ts';
import { bytesField, doubleField, numberField } from './write-field.ts';

/** Converts the JSON form of an object to a message with the bytes that Kubernetes stores. Throws ProtobufProblem. */
export function encodeMessage(value: unknown, name: string): Buffer {
  const special = specialMessages[name.slice(name.lastIndexOf('.') + 1)];
  if (special !== undefined) return special(value);
  const definition = fieldsOfMessage(name);
  if (definition === undefined) throw new ProtobufProblem(`proto: unknown message type ${name}`);
  if (!isObject(value)) throw new ProtobufProblem(`proto: ${name} is not an object`);
  const pointers = goFields[name]?.pointers ?? [];
  return Buffer.concat(
    definition
      .toSorted(([a], [b]) => a - b)
      .flatMap((field) => encodeField(field, value, pointers.includes(field[1]))),
  );
}

function encodeField(
  [number, name, marked]: FieldDefinition,
  object: Record<string, unknown>,
  isPointer: boolean,
): Buffer[] {
  const type = marked.replace(/^[*%<]/, '');
  const value = object[name];
  switch (marked[0]) {
    case '*':
      return (Array.isArray(value) ? value : []).map((each) => encodeValue(number, each, type));
    case '%':
      return Object.entries(isObject(value) ? value : {})
        .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        .map(([key, entry]) => bytesField(number, bytesField(1, key), encodeValue(2, entry, type)));
    case '<':
      return [bytesField(number, encodeMessage(object, type))];
    default:
      if (value !== undefined && value !== null) return [encodeValue(number, value, type)];
      // JSON has null for a time that is not a pointer, and nothing for that of a pointer.
      if (value === null || name === 'creationTimestamp') return [bytesField(number)];
      return isPointer ? [] : encodeZero(number, type);
  }
}

/** Go writes a scalar that is not a pointer even when it is not set. */
function encodeZero(number: number, type: string): Buffer[] {
  switch (type) {
    case 'string':
      return [bytesField(number)];
    case 'bool':
    case 'int':
      return [numberField(number, 0)];
    default:
      return [];
  }
}

function encodeValue(number: number, value: unknown, type: string): Buffer {
  switch (type) {
    case 'string':
      return bytesField(number, String(value));
    case 'bytes':
      return bytesField(number, Buffer.from(String(value ?? ''), 'base64'));
    case 'bool':
      return numberField(number, value === true ? 1 : 0);
    case 'int':
      return numberField(number, Number(value));
    case 'double':
      return doubleField(number, Number(value));
    default:
      return bytesField(number, encodeMessage(value, type));
  }
}

/** Messages whose JSON form is not an object with their fields. */
const specialMessages: Record<string, (value: unknown) => Buffer> = {
  Time: timeMessage,
  MicroTime: timeMessage,
  Quantity: (value) => bytesField(1, String(value)),
  IntOrString: (value) =>
    typeof value === 'string'
      ? Buffer.concat([numberField(1, 1), numberField(2, 0), bytesField(3, value)])
      : Buffer.concat([numberField(1, 0), numberField(2, Number(value)), bytesField(3)]),
  RawExtension: rawJson,
  FieldsV1: rawJson,
  JSON: rawJson,
};

/** JSON has seconds, or microseconds; the rest of the nanoseconds is zero in Kubernetes, too. */
function timeMessage(value: unknown): Buffer {
  if (value === null) return Buffer.alloc(0);
  const text = String(value);
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) throw new ProtobufProblem('proto: invalid time');
  const [, fraction = ''] = /\.(\d+)/.exec(text) ?? [];
  return Buffer.concat([
    numberField(1, Math.floor(milliseconds / 1000)),
    numberField(2, Number(fraction.padEnd(9, '0').slice(0, 9))),
  ]);
}

function rawJson(value: unknown): Buffer {
  return bytesField(1, JSON.stringify(value));
}
