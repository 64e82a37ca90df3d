import { expect, test } from 'vitest';
import { type RequesterInput, requester } from './requester.ts';

const version = { name: '1.0.1', object: 'foo-b', contentHash: 'b', sequence: 2 };
const named: RequesterInput['intent'] = {
  want: 'version',
  version,
  because: 'spec',
  clearSpecVersion: false,
};
const edited: RequesterInput['intent'] = {
  want: 'version',
  version,
  because: 'edit',
  clearSpecVersion: true,
};
const stay: RequesterInput['intent'] = { want: 'stay' };
const anna = { by: 'anna', version: '1.0.1' };

test.each<[string, Partial<RequesterInput>, string | undefined]>([
  ['the person who named the version', {}, 'anna'],
  [
    'not who named another one before',
    { stamp: { ...anna, version: '1.0.0' } },
    'kubectl-patch (field manager)',
  ],
  ['without the webhook, the program', { stamp: none() }, 'kubectl-patch (field manager)'],
  ['nobody, when nothing tells', { stamp: none(), managers: none2() }, undefined],
  ['the author of an edit', { intent: edited, specVersion: undefined }, 'kubectl-edit (field manager)'],
  ['the author of an edit that takes over', { intent: edited }, 'kubectl-edit (field manager)'],
  [
    'the author of an edit back to what is current',
    { intent: stay, specVersion: undefined },
    'kubectl-edit (field manager)',
  ],
  ['who asks for what is current', { intent: stay }, 'anna'],
  [
    'nobody, when a wish is taken back in Manual',
    { intent: stay, specVersion: undefined, release: 'Manual' },
    undefined,
  ],
])('who asked: %s', (_, mods, who) => {
  const managers = { version: 'kubectl-patch', data: 'kubectl-edit' };
  expect(
    requester({ intent: named, release: 'Auto', specVersion: '1.0.1', stamp: anna, managers, ...mods }),
  ).toBe(who);
});

function none() {
  return { by: undefined, version: undefined };
}

function none2() {
  return { version: undefined, data: undefined };
}
