import { Store } from '../../src/store/store.ts';

/** Writes to the store named by its argument until it is killed, and prints each acknowledged write. */
const store = new Store({ file: process.argv[2] ?? '' });
process.stdout.write('ready\n');
for (let round = 0; ; round++) {
  const keys = Array.from({ length: 8 }, (_, index) => `/registry/a/${round}-${index}`);
  await Promise.all(
    keys.map(async (key) => {
      const { revision } = await store.write({ type: 'put', key, expect: 'absent', render: String });
      process.stdout.write(`${key} ${revision}\n`);
    }),
  );
}
