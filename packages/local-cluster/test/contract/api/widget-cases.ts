import { expect } from 'vitest';
import type { Answer } from './http.ts';
import type { Target } from './target.ts';
import { widget, widgetPath, widgets } from './widgets.ts';

export async function create(
  target: Target,
  name: string,
  spec: object = {},
  more: object = {},
): Promise<Answer> {
  await widgets(target);
  return target.api.post(widgetPath(target), widget(target, name, spec, more));
}

export async function created(target: Target, name: string, spec: object = {}) {
  const { code, text, body } = await create(target, name, spec);
  expect(code, text).toBe(201);
  return body;
}
