import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MAX_HEADERS, MAX_VALUE_LENGTH } from '../../src/kernel/header-text.js';
import { MAX_BODY_BYTES, MAX_SUBJECT_CHARACTERS, RETRY_PRESETS } from '../../src/policy/index.js';

/**
 * The numbers and names that accept_v1 shares with send(): its functions have them written out, because SQL reads no code.
 * Whoever changes one here makes a migration; test/journey/accept-v1-rules.test.ts tries both with the same values.
 */
const migrations = readdirSync('migrations')
  .sort()
  .map((name) => readFileSync(`migrations/${name}`, 'utf8'));

/** The text of a function as its last migration left it. */
function definition(name: string): string {
  const last = migrations.findLast((sql) => sql.includes(`function postrider.${name}(`)) ?? '';
  return last.slice(last.lastIndexOf(`function postrider.${name}(`)).split('end $$;')[0]!;
}

describe('what accept_v1 knows of the limits', () => {
  test('numbers and presets → those of send()', () => {
    const accept = definition('accept_v1');
    const headers = definition('check_headers');
    expect(accept).toContain(`octet_length(html) > ${MAX_BODY_BYTES} `);
    expect(accept).toContain(`octet_length(text_body) > ${MAX_BODY_BYTES} `);
    expect(accept).toContain(`char_length(subject) > ${MAX_SUBJECT_CHARACTERS} `);
    expect(accept).toContain(
      `retry not in (${Object.keys(RETRY_PRESETS)
        .map((name) => `'${name}'`)
        .join(', ')})`,
    );
    expect(headers).toContain(`cardinality(seen) = ${MAX_HEADERS} `);
    expect(headers).toContain(`utf16_length(said) > ${MAX_VALUE_LENGTH} `);
    const text = readFileSync('src/kernel/header-text.ts', 'utf8');
    const kilobytes = Number(/MAX_BYTES = (\d+) \* 1024/.exec(text)?.[1]);
    expect(headers).toContain(`octet_length(said) > ${kilobytes * 1024} `);
    const [, word] = /MAX_WORD = (\d+)/.exec(readFileSync('src/kernel/header-value.ts', 'utf8')) ?? [];
    expect(headers).toContain(`octet_length(word) > ${word})`);
  });

  test('the headers nobody may hand in → the same', () => {
    const sql = definition('check_headers');
    const source = readFileSync('src/kernel/reserved-headers.ts', 'utf8');
    const reserved = [...source.matchAll(/'([a-z*.|-]+)'/g)]
      .flatMap(([, words]) => words!.split('|'))
      .filter((word) => word.length > 1);
    expect(reserved.length).toBeGreaterThan(15);
    expect(reserved.filter((word) => !sql.includes(`'${word.replace('.*', '')}'`))).toEqual([]);
  });
});
