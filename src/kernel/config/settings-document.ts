import { CONFIG_FILE, CONFIG_VARIABLE } from './read-config-file.js';
import { Derived, entriesOf, type Setting, type Settings } from './setting.js';

/** Writes docs/CONFIGURATION.md from the declarations, so that the two cannot disagree. */
export function settingsDocument(settings: Settings): string {
  const rows = [...entriesOf(settings)].map(([key, setting]) => [
    `\`${key}\``,
    variables(setting),
    shownDefault(setting),
    setting.secret ? `${setting.form} (secret)` : setting.form,
    setting.says,
  ]);
  return `# Configuration

Generated from the declarations in \`src/*/settings.ts\`; change those, then run
\`npx vitest run --project unit src/config.test.ts -u\`.

A setting is taken from the first place that says something about it:

1. options given in code
2. the environment; where a row names several variables, the first one set wins, and an empty one counts as not set
3. the file \`${CONFIG_FILE}\` in the working folder, or the one named by \`${CONFIG_VARIABLE}\` or \`--config\`:
   \`{ "smtp": { "host": "mail.example.com" } }\`
4. the default

An unknown key, or an unknown variable that starts with \`POSTRIDER_\`, is an error. All problems are reported at once.
\`postrider config check\` shows every setting, \`postrider config diff\` only what differs from its default and where
that was said; secrets are masked in both.

Durations are milliseconds as a number in code and file, and text such as \`500ms\`, \`5s\`, \`2m\` or \`1h\` anywhere; a
plain number in a variable has the unit given there. Sizes are bytes, or text such as \`512KB\` or \`16MB\`, in steps of
1024.

## Settings

${table(['key', 'variable', 'default', 'form', 'what it decides'], rows)}`;
}

function variables(setting: Setting<unknown>): string {
  return setting.env
    .map(({ name, plainUnit }) => `\`${name}\`${plainUnit ? ` (plain number: ${plainUnit})` : ''}`)
    .join(', ');
}

function shownDefault(setting: Setting<unknown>): string {
  if (setting.default instanceof Derived) return setting.default.says;
  return setting.default === null ? '–' : `\`${setting.show(setting.default)}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
