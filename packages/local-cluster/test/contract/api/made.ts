import { expect } from 'vitest';
import type { ObjectBody } from './http.ts';

/** Returns the body of a successful create. */
export async function made(
  answer: Promise<{ code: number; text: string; body: ObjectBody }>,
): Promise<ObjectBody> {
  const { code, text, body } = await answer;
  expect(code, text).toBe(201);
  return body;
}
