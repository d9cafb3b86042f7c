import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkDashboard } from './dashboard-rules.js';
import { checkNames } from './naming-rules.js';
import { readSources } from './source-file.js';

const sources = readSources('dashboard', /(?<!config|\.test)\.tsx?$/);
const file = (text: string) => ({ path: 'pages/x-page.tsx', text });

test('the files of the dashboard → named after what they hold, and about the browser alone', () => {
  expect(sources.length).toBeGreaterThan(20);
  expect(sources.flatMap(({ path, text }) => checkNames({ path: path.replace(/x$/, ''), text }))).toEqual([]);
  expect(sources.flatMap(checkDashboard)).toEqual([]);
});

test('every component in use → its styles are brought along', () => {
  const styles = sources.find(({ path }) => path === 'component-styles.ts')!.text;
  const used = sources.flatMap(({ text }) =>
    [...text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)].flatMap(([, names = '']) =>
      names.split(',').map((name) => name.trim()),
    ),
  );
  const styled = [...new Set(used)].filter((name) =>
    existsSync(`node_modules/@mantine/core/styles/${name}.layer.css`),
  );
  expect(styled.length).toBeGreaterThan(15);
  expect(styled.filter((name) => !styles.includes(`/${name}.layer.css`))).toEqual([]);
});

test.each([
  ['code of the server', "import { x } from '../../src/views/index.js';"],
  ['another package', "import _ from 'lodash';"],
  ['markup', '<div dangerouslySetInnerHTML={{ __html: x }} />'],
  ['a way around the client', "await fetch('/admin/emails');"],
])('%s in a page → refused', (_what, text) => {
  expect(checkDashboard(file(text))).toHaveLength(1);
});

test('types of the server → allowed', () => {
  expect(checkDashboard(file("import type { Overview } from '../../src/views/index.js';"))).toEqual([]);
});
