import { describe, expect, test } from 'vitest';
import { isUuid, newId } from './ids.js';

describe('ids', () => {
  const far = Date.UTC(2100, 0, 1);

  test('a new id → a UUIDv7 of its time', () => {
    const id = newId(far);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(far);
  });

  test('ten thousand in one millisecond → all different and in order', () => {
    const ids = Array.from({ length: 10_000 }, () => newId(far + 1));
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });

  test('the clock steps back → ids go on increasing', () => {
    const before = newId(far + 60_000);
    const after = newId(far + 50_000);
    expect(after > before).toBe(true);
  });

  test.each([
    ['0192f0c1-7b2e-7000-8000-000000000001', true],
    ['0192F0C1-7B2E-7000-8000-000000000001', true],
    ['0192f0c17b2e70008000000000000001', false],
    ['0192f0c1-7b2e-7000-8000-00000000000g', false],
    ['0192f0c1-7b2e-7000-8000-000000000001\n', false],
    ['', false],
    [null, false],
    [7, false],
  ])('%j → %s', (value, is) => {
    expect(isUuid(value)).toBe(is);
  });
});
