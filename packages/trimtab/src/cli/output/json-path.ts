import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { evaluate } from './json-path/evaluate.ts';
import { parseTemplate, type Step, TemplateError } from './json-path/parse-template.ts';

/**
 * Renders a JSONPath template as `kubectl get -o jsonpath=TEMPLATE` does. A missing key prints nothing. Throws a usage
 * error for an invalid template, and for one that does not fit the object.
 */
export function renderJsonPath(template: string, object: object): string {
  const expressions = failingAs(`error parsing jsonpath ${template},`, () => parseTemplate(template));
  // The template sees what -o json prints.
  const value: unknown = JSON.parse(JSON.stringify(object));
  return failingAs(
    `error executing jsonpath ${JSON.stringify(template)}:`,
    () => renderFrom(expressions, 0, value, 0).text,
  );
}

function failingAs<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new OperationalError(errors.ConfigInvalid, `${what} ${error.message}`);
  }
}

/** Renders expressions until the end of the template or of the range; `end` is the position of that `{end}`. */
function renderFrom(
  expressions: readonly Step[][],
  start: number,
  value: unknown,
  depth: number,
): { text: string; end?: number } {
  let text = '';
  for (let at = start; at < expressions.length; at++) {
    const steps = expressions[at] ?? [];
    const keyword = keywordOf(steps);
    if (keyword === 'end') {
      if (depth === 0) throw new TemplateError('not in range, nothing to end');
      return { text, end: at };
    }
    const results = evaluate(keyword === undefined ? steps : withoutKeyword(steps), [value]);
    if (keyword === undefined) {
      text += results.map(printed).join(' ');
      continue;
    }
    // A range over nothing is evaluated once, to find its end.
    const rounds = (results.length === 0 ? [undefined] : results).map((each) =>
      renderFrom(expressions, at + 1, each, depth + 1),
    );
    if (results.length > 0) text += rounds.map((round) => round.text).join('');
    at = rounds.at(-1)?.end ?? at;
  }
  return { text };
}

function keywordOf(steps: readonly Step[]): 'range' | 'end' | undefined {
  for (const step of steps)
    if (step.step === 'identifier' && (step.name === 'range' || step.name === 'end')) return step.name;
  return undefined;
}

function withoutKeyword(steps: readonly Step[]): Step[] {
  return steps.filter((step) => step.step !== 'identifier' || step.name !== 'range');
}

function printed(value: unknown): string {
  return typeof value === 'object' && value !== null ? goJson(value) : String(value);
}

/** JSON as Go writes it: sorted keys, and characters with a meaning in HTML as escapes. */
function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return escaped(JSON.stringify(value));
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${escaped(JSON.stringify(key))}:${goJson(each)}`).join(',')}}`;
}

function escaped(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
