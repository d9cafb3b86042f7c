import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../errors.js';
import type { ConfigProblem } from './config-problem.js';
import type { Environment } from './environment.js';

/**
 * Finds and parses the JSON file of settings. A file somebody named must exist; the usual one
 * (`postrider.config.json` in the working folder) may be missing. It parses, it does not judge keys.
 */
export function readConfigFile(environment: Environment, named?: string | null): ConfigFileRead {
  if (named === null) return { file: null, problems: [] };
  const wanted = named ?? (environment[CONFIG_VARIABLE] || undefined);
  const path = resolve(wanted ?? CONFIG_FILE);
  try {
    return { file: { path, content: JSON.parse(readFileSync(path, 'utf8')) }, problems: [] };
  } catch (error) {
    if (wanted === undefined && isMissing(error)) return { file: null, problems: [] };
    const why = isMissing(error) ? 'does not exist' : `is not readable JSON (${messageOf(error)})`;
    return { file: null, problems: [{ key: wanted ?? CONFIG_FILE, source: 'config file', message: why }] };
  }
}

export const CONFIG_FILE = 'postrider.config.json';
export const CONFIG_VARIABLE = 'POSTRIDER_CONFIG';

export interface ConfigFile {
  path: string;
  content: unknown;
}

export interface ConfigFileRead {
  file: ConfigFile | null;
  problems: ConfigProblem[];
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
