/**
 * What a Zod schema says about the fields of data, as far as it says it: objects, lists, and what wraps them. Where it
 * says nothing (records, unions, transforms, schemas of other libraries) every name may be there.
 */
export function shapeOf(schema: unknown, segments: readonly string[], said: string): unknown {
  let at = bare(schema);
  let path = said;
  for (const segment of segments) {
    const def = definitionOf(at);
    if (def === null) return null;
    if (LEAVES.has(def.type)) throw new Error(`"${path}" is a ${def.type} and has no ${segment}`);
    if (def.type !== 'object' || def.shape === undefined) return null;
    if (!Object.hasOwn(def.shape, segment)) {
      if (def.catchall !== undefined && definitionOf(def.catchall)?.type !== 'never') return null;
      throw new Error(
        `"${segment}" is not a field of ${path}; there are ${Object.keys(def.shape).join(', ')}`,
      );
    }
    at = bare(def.shape[segment]);
    path = `${path}.${segment}`;
  }
  return at;
}

/** What the items of a list look like; null where that is not known. */
export function itemShapeOf(schema: unknown): unknown {
  const def = definitionOf(bare(schema));
  return def?.type === 'array' ? bare(def.element) : null;
}

const LEAVES = new Set(['string', 'number', 'boolean', 'bigint', 'date', 'enum', 'literal']);
const WRAPPERS = new Set(['optional', 'nullable', 'default', 'prefault', 'nonoptional', 'readonly', 'catch']);

interface Definition {
  type: string;
  shape?: Record<string, unknown>;
  catchall?: unknown;
  element?: unknown;
  innerType?: unknown;
  out?: unknown;
  getter?: () => unknown;
}

/** A template sees what the schema gives out, so of a pipe its end. */
function bare(schema: unknown): unknown {
  let at = schema;
  for (let depth = 0; depth < MAX_WRAPPERS; depth++) {
    const def = definitionOf(at);
    if (def === null) return null;
    if (WRAPPERS.has(def.type)) at = def.innerType;
    else if (def.type === 'pipe') at = def.out;
    else if (def.type === 'lazy') at = def.getter?.();
    else return at;
  }
  return null;
}

const MAX_WRAPPERS = 20;

function definitionOf(schema: unknown): Definition | null {
  const def = (schema as { _zod?: { def?: Partial<Definition> } } | null | undefined)?._zod?.def;
  return typeof def?.type === 'string' ? (def as Definition) : null;
}
