import { isStorableText } from './control-characters.js';
import { invalidPayload, pathTo } from './input-fields.js';

/**
 * A JSON object of the caller's own making, copied so that nothing can change it afterwards. Refuses what JSON
 * cannot say (dates, functions, NaN), prototype keys, text the store cannot hold, and anything past its limits;
 * stops reading as soon as a limit is passed. A key whose value is undefined is absent, as in JSON.
 */
export function parseJsonObject(input: unknown, field: string, limits: JsonLimits): Record<string, unknown> {
  if (input === undefined) return {};
  if (!isPlainObject(input)) throw invalidPayload(field, 'must be a plain object');
  const budget = { field, nodes: limits.maxBytes, limits };
  const copy = copyObject(input, field, 1, budget);
  if (Buffer.byteLength(JSON.stringify(copy)) > limits.maxBytes) throw tooLarge(budget);
  return copy;
}

export interface JsonLimits {
  maxBytes: number;
  maxDepth: number;
}

interface Budget {
  field: string;
  /** Every value takes at least a byte, so there cannot be more values than bytes. */
  nodes: number;
  limits: JsonLimits;
}

const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

function copyObject(input: object, path: string, depth: number, budget: Budget): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(input)) {
    const at = pathTo(path, key);
    if (PROTOTYPE_KEYS.has(key)) throw invalidPayload(at, 'is not allowed as a key');
    if (key.length > budget.limits.maxBytes) throw tooLarge(budget);
    if (!isStorableText(key)) throw invalidPayload(at, 'has a key with NUL or invalid Unicode');
    const value = (input as Record<string, unknown>)[key];
    if (value !== undefined) copy[key] = copyValue(value, at, depth, budget);
  }
  return copy;
}

function copyValue(value: unknown, path: string, depth: number, budget: Budget): unknown {
  budget.nodes -= 1;
  if (budget.nodes < 0) throw tooLarge(budget);
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalidPayload(path, 'is not a finite number');
    return value;
  }
  if (typeof value === 'string') {
    if (value.length > budget.limits.maxBytes) throw tooLarge(budget);
    if (!isStorableText(value)) throw invalidPayload(path, 'contains NUL or is not valid Unicode');
    return value;
  }
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) throw invalidPayload(path, 'is not a JSON value');
  if (depth >= budget.limits.maxDepth)
    throw invalidPayload(path, `is nested more than ${budget.limits.maxDepth} levels deep`);
  if (!isList) return copyObject(value, path, depth + 1, budget);
  if (value.length > budget.nodes) throw tooLarge(budget);
  return Array.from(value, (item, index) => copyValue(item, `${path}[${index}]`, depth + 1, budget));
}

/** By shape and not by identity, as objects from another realm have their own Object.prototype. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function tooLarge(budget: Budget) {
  return invalidPayload(budget.field, `is larger than ${budget.limits.maxBytes / 1024} KB`);
}
