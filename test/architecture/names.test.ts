import { describe, expect, it } from 'vitest';
import { checkLength, checkNames } from './naming-rules.js';
import { readSources } from './source-file.js';

describe('names and sizes', () => {
  it('the sources → files are named after what they hold', () => {
    expect(readSources().flatMap(checkNames)).toEqual([]);
  });

  it('the sources → no file is over 300 lines', () => {
    expect(readSources().flatMap(checkLength)).toEqual([]);
  });

  it.each([
    'outbox/utils.ts',
    'helpers/x.ts',
    'doors/http/common/x.ts',
    'store/types.ts',
    'store/interfaces.ts',
    'pipeline/lib/x.ts',
    'outbox/queue-manager.ts',
    'intake/email-service.ts',
    'render/text-helpers.test.ts',
    'render/renderEmail.ts',
  ])('%s → refused', (path) => {
    expect(checkNames({ path, text: '' })).toHaveLength(1);
  });

  it.each(['render/email-types.ts', 'outbox/accept-v1.test.ts', 'providers/smtp/scripted-server.fixture.ts'])(
    '%s → allowed',
    (path) => {
      expect(checkNames({ path, text: '' })).toEqual([]);
    },
  );

  it('301 lines → refused, 300 → allowed', () => {
    expect(checkLength({ path: 'a/b.ts', text: 'x\n'.repeat(301) })).toHaveLength(1);
    expect(checkLength({ path: 'a/b.ts', text: 'x\n'.repeat(300) })).toEqual([]);
  });
});
