import type { Settings } from './setting.js';

/**
 * Joins what the rooms declare into one tree; several rooms may add to one group.
 * Refuses two settings under one key and two settings reading one variable.
 */
export function joinSettings<const Rooms extends readonly Settings[]>(...rooms: Rooms): Joined<Rooms> {
  const joined: Record<string, Record<string, Settings[string][string]>> = {};
  const variables = new Set<string>();
  for (const room of rooms)
    for (const [group, members] of Object.entries(room))
      for (const [name, setting] of Object.entries(members)) {
        joined[group] ??= {};
        if (Object.hasOwn(joined[group], name)) throw new Error(`${group}.${name} is declared twice`);
        joined[group][name] = setting;
        for (const variable of setting.env) {
          if (variables.has(variable.name)) throw new Error(`${variable.name} is read by two settings`);
          variables.add(variable.name);
        }
      }
  return joined as Joined<Rooms>;
}

type Joined<Rooms extends readonly Settings[]> = Rooms extends readonly [
  infer First extends Settings,
  ...infer Rest extends readonly Settings[],
]
  ? Rest extends readonly []
    ? First
    : First & Joined<Rest>
  : never;
