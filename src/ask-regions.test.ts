import { expect, test } from 'vitest';
import { askEach, findInRegions } from './ask-regions.js';
import { PostriderError } from './kernel/index.js';

const names = ['ind1', 'usa1', 'deu1'];
const gone = new PostriderError('STORE_UNAVAILABLE', 'gone');

test('one has it and another never answers → found without waiting for it', async () => {
  const found = await findInRegions(names, (region) =>
    region === 'usa1' ? new Promise<string>(() => {}) : Promise.resolve(region === 'deu1' ? 'here' : null),
  );
  expect(found).toEqual({ region: 'deu1', answer: 'here' });
});

test('none has it → null; none has it and one is away → nobody says it is nowhere', async () => {
  expect(await findInRegions(names, async () => null)).toBeNull();
  const asked = findInRegions(names, async (region) => {
    if (region === 'ind1') throw gone;
    return null;
  });
  await expect(asked).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining('ind1'),
  });
});

test('a question that is wrong → thrown as it is, not taken for a region that is away', async () => {
  const wrong = new PostriderError('INVALID_PAYLOAD', 'limit must be a number.', { field: 'limit' });
  await expect(Promise.all(askEach(names, () => Promise.reject(wrong)))).rejects.toBe(wrong);
  await expect(findInRegions(names, () => Promise.reject(wrong))).rejects.toBe(wrong);
  await expect(findInRegions(names, () => Promise.reject(new TypeError('a bug')))).rejects.toThrow('a bug');
});
