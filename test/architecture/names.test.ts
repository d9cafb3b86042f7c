import { describe, expect, it } from 'vitest';
import { checkNames } from './naming-rules.js';
import { readSources } from './source-file.js';

describe('names', () => {
  it('the sources → files are named after what they hold', () => {
    expect(readSources().flatMap(checkNames)).toEqual([]);
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
});
