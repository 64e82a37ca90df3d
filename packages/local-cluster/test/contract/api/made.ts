import { expect } from 'vitest';
import type { ObjectBody } from './http.ts';

/** What the server adds to an object that says as little as it may. */
export async function made(
  answer: Promise<{ code: number; text: string; body: ObjectBody }>,
): Promise<ObjectBody> {
  const { code, text, body } = await answer;
  expect(code, text).toBe(201);
  return body;
}
