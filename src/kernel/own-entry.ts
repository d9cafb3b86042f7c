/** What a table has under a name that came from outside: `constructor` and `__proto__` are names like any other. */
export function ownEntry<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** An object for names that came from outside: without a prototype, whose names would be there already or be lost. */
export function newRecord<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}
