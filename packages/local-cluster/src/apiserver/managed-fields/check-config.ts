import { isObject } from '../object.ts';
import { goText } from '../patch/go-text.ts';
import { fieldStep, ItemProblem, itemStep, stepText } from './path-step.ts';
import {
  formOf,
  type ListShape,
  type MapShape,
  type ScalarShape,
  type Shape,
  shapeOfField,
} from './shape.ts';

/** Returns why a config cannot be applied: fields outside of the schema, values of the wrong type, duplicate items. */
export function configProblem(config: unknown, shape: Shape): string | undefined {
  const problems: string[] = [];
  check(config, shape, '', problems);
  if (problems.length < 2) return problems[0];
  return ['errors:', ...problems.map((each) => `  ${each}`)].join('\n');
}

function check(value: unknown, shape: Shape, path: string, problems: string[]): void {
  if (value === null) return;
  const tell = (what: string) => void problems.push(path === '' ? what : `${path}: ${what}`);
  const form = formOf(shape, value);
  if (form.is === 'scalar') {
    const problem = scalarProblem(value, form);
    if (problem !== undefined) tell(problem);
  } else if (form.is === 'list') {
    if (Array.isArray(value)) checkItems(value, form, path, problems, tell);
    else tell(`expected list, got &{${goText(value)}}`);
  } else if (isObject(value)) checkEntries(value, form, path, problems);
  else tell(`expected map, got &{${goText(value)}}`);
}

function checkEntries(value: Record<string, unknown>, map: MapShape, path: string, problems: string[]): void {
  for (const key of Object.keys(value)) {
    const inner = `${path}${stepText(fieldStep(key))}`;
    if (!map.fields.has(key) && map.of === undefined) {
      problems.push(`${inner}: field not declared in schema`);
      return;
    }
    check(value[key], shapeOfField(map, key), inner, problems);
  }
}

function checkItems(
  items: readonly unknown[],
  list: ListShape,
  path: string,
  problems: string[],
  tell: (what: string) => void,
): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    let step = `i:${index}`;
    if (list.how !== 'atomic') {
      try {
        step = itemStep(list, item);
      } catch (error) {
        if (!(error instanceof ItemProblem)) throw error;
        return void tell(`element ${index}: ${error.message}`);
      }
      if (seen.has(step)) tell(`duplicate entries for key ${stepText(step)}`);
      seen.add(step);
    }
    check(item, list.of, `${path}${stepText(step)}`, problems);
  }
}

function scalarProblem(value: unknown, { of }: ScalarShape): string | undefined {
  switch (of) {
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goText(value)}}`;
    case 'numeric':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    default:
      return typeof value === 'object' ? `expected any scalar, got &{${goText(value)}}` : undefined;
  }
}

/** Prints a value in Go syntax. */
function goSyntax(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`);
  return `map[string]interface {}{${entries.join(', ')}}`;
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
