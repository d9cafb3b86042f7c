import { describe, expect, it } from 'vitest';
import { checkDirections, checkEntrances } from './room-rules.js';
import { readSources } from './source-file.js';

const sources = readSources();

describe('rooms', () => {
  it('the sources → import only what the table of rooms allows, through index.ts', () => {
    expect(sources.flatMap(checkDirections)).toEqual([]);
  });

  it('the sources → every room has its index.ts', () => {
    expect(checkEntrances(sources)).toEqual([]);
  });

  it.each([
    ['kernel imports a room', 'kernel/x.ts', '../store/index.js', 'kernel may not import store'],
    ['a type import counts', 'providers/x.ts', '../outbox/index.js', 'providers may not import outbox'],
    ['a door imports store', 'doors/http/x.ts', '../../store/index.js', 'doors/http may not import store'],
    ['a side entrance', 'intake/x.ts', '../outbox/claim.js', 'enters outbox by outbox/claim.ts'],
    ['a door by its side entrance', 'doors/http/x.ts', '../inbox/sink.js', 'enters doors/inbox by'],
    ['a test is no exception', 'render/x.test.ts', '../outbox/index.js', 'render may not import outbox'],
    ['a room imports the root', 'outbox/x.ts', '../app.js', 'only the command line may'],
    ['a source imports a test', 'outbox/x.ts', '../../test/services/index.js', 'reaches outside src'],
    ['an unknown room', 'toolbox/x.ts', '../kernel/index.js', 'toolbox is not a room'],
  ])('%s → refused', (_, path, specifier, problem) => {
    const text = `import type { X } from '${specifier}';`;
    expect(checkDirections({ path, text })).toEqual([expect.stringContaining(problem)]);
  });

  it('a dynamic import in the wrong direction, or of a computed name → refused', () => {
    const text = "await import('../../store/index.js'); await import(name);";
    expect(checkDirections({ path: 'providers/smtp/x.ts', text })).toHaveLength(2);
  });

  it.each([
    ['the same room', 'outbox/sql/x.ts', '../claim.js'],
    ['a room of the table', 'intake/x.ts', '../outbox/index.js'],
    ['a door and a room', 'doors/http/x.ts', '../../intake/index.js'],
    ['what doors share', 'doors/http/x.ts', '../present.js'],
    ['the root', 'app.ts', './store/pool.js'],
    ['the command line and the root', 'doors/cli/main.ts', '../../app.js'],
    ['a test and the inside of kernel', 'outbox/x.test.ts', '../kernel/clock.js'],
    ['a test and the services', 'store/x.test.ts', '../../test/services/index.js'],
  ])('%s → allowed', (_, path, specifier) => {
    expect(checkDirections({ path, text: `import { x } from '${specifier}';` })).toEqual([]);
  });

  it('a room without index.ts → refused; a program with main.ts → allowed', () => {
    const files = ['outbox/x.ts', 'doors/http/x.ts', 'doors/cli/main.ts', 'app.ts'].map((path) => ({
      path,
      text: '',
    }));
    expect(checkEntrances(files)).toEqual(['outbox: has no index.ts', 'doors/http: has no index.ts']);
  });
});
