import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { onClose } from './on-close.ts';

test('what a response holds is released once, also when the response was over before', () => {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  let released = 0;
  onClose(response, () => released++);
  expect(released).toBe(0);
  response.destroy();
  response.emit('close');
  response.emit('close');
  expect(released).toBe(1);
  onClose(response, () => released++);
  expect(released).toBe(2);
});
